{#-
    Vectors as they are: what compression saves of a model's numbers is next to
    nothing, and each recall pays for it with as much again as the comparison.
-#}
{% macro journal_format_5() %}
create table journal.plain_embeddings (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    content_hash varchar not null,
    model_id varchar not null,
    vector float[] not null using compression uncompressed,
    note varchar,
    recorded_at timestamp not null
);
insert into journal.plain_embeddings by name
select * from journal.embeddings
order by event_sequence;
drop table journal.embeddings;
alter table journal.plain_embeddings rename to embeddings;
{% endmacro %}
