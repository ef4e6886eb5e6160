{#-
    The journal: append-only events, written by the runner alone. Times are UTC.
    `if not exists`, as the first builds made these tables and noted no format.
-#}
{% macro journal_format_1() %}
create schema if not exists journal;

create sequence if not exists journal.event_sequence;

create table if not exists journal.store_settings (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    setting varchar not null,
    setting_value varchar not null,
    recorded_at timestamp not null
);

create table if not exists journal.embedding_models (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    model_id varchar not null,
    model_name varchar not null,
    dimension integer not null,
    query_mode varchar not null,
    recorded_at timestamp not null
);

create table if not exists journal.messages (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    message_id varchar not null,
    namespace varchar not null,
    session_id varchar not null,
    message_seq bigint not null,
    role varchar not null,
    content varchar not null,
    source varchar not null,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.memory_writes (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    memory_id varchar not null,
    namespace varchar not null,
    kind varchar not null,
    content varchar not null,
    content_hash varchar not null,
    importance double,
    is_pinned boolean not null,
    expires_at timestamp,
    actor varchar not null,
    method varchar not null,
    model_id varchar,
    session_id varchar,
    message_id varchar,
    task_id varchar,
    metadata varchar,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.memory_changes (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    memory_id varchar not null,
    change varchar not null,
    other_memory_id varchar,
    reason varchar,
    detail varchar,
    actor varchar not null,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.embeddings (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    content_hash varchar not null,
    model_id varchar not null,
    vector float[] not null,
    note varchar,
    recorded_at timestamp not null
);

create table if not exists journal.recalls (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    recall_id varchar not null,
    namespaces varchar[] not null,
    kinds varchar[],
    query_text varchar,
    query_vector float[],
    model_id varchar,
    top_k integer not null,
    min_similarity double not null,
    as_of timestamp,
    actor varchar not null,
    session_id varchar,
    task_id varchar,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.recall_hits (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    recall_id varchar not null,
    memory_id varchar not null,
    hit_rank integer not null,
    similarity double,
    lexical_score double,
    strength double,
    weight double,
    score double,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.task_starts (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    task_id varchar not null,
    namespace varchar not null,
    description varchar not null,
    session_id varchar,
    actor varchar not null,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.task_ends (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    task_id varchar not null,
    tokens_used bigint,
    tool_calls bigint,
    errors bigint,
    user_corrections bigint,
    is_completed boolean not null,
    actor varchar not null,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.ratings (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    task_id varchar not null,
    memory_id varchar not null,
    rating integer not null,
    actor varchar not null,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);

create table if not exists journal.runs (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    run_kind varchar not null,
    outcome varchar not null,
    detail varchar,
    occurred_at timestamp not null,
    recorded_at timestamp not null
);
{% endmacro %}
