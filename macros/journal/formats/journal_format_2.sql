{#- What was erased, as fingerprints: what was written before that stays out. -#}
{% macro journal_format_2() %}
create table journal.erasures (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    erasure_id varchar not null,
    namespace varchar not null,
    content_hash varchar not null,
    memory_id_hash varchar not null,
    recorded_at timestamp not null
);
{% endmacro %}
