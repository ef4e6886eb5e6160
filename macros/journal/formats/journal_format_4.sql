{#- How far each remote was read, and how much of the journal is there. -#}
{% macro journal_format_4() %}
create table journal.remote_cursors (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    remote varchar not null,
    identity varchar not null,
    position varchar not null,
    sent_through bigint not null,
    recorded_at timestamp not null
);
{% endmacro %}
