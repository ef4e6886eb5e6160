with position as (
    select * from {{ ref('int_journal_position') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

extracted as (
    select * from {{ ref('int_statements_extracted') }}
),

episodes as (
    select * from {{ ref('int_episodes') }}
),

written as (
    select
        writes.event_id as assertion_id,
        writes.memory_id,
        writes.namespace,
        writes.kind,
        writes.content,
        writes.content_hash,
        writes.importance,
        writes.is_pinned,
        writes.expires_at,
        writes.actor,
        writes.method,
        writes.session_id,
        writes.message_id,
        writes.task_id,
        writes.occurred_at,
        writes.recorded_at,
        writes.event_sequence,
        0 as statement_seq
    from writes
    cross join position
    where writes.event_sequence <= position.journal_position
),

read_from_messages as (
    select
        extracted.message_id || ':' || extracted.statement_seq as assertion_id,
        extracted.memory_id,
        extracted.namespace,
        extracted.kind,
        extracted.content,
        extracted.content_hash,
        cast(null as double) as importance,
        false as is_pinned,
        cast(null as timestamp) as expires_at,
        'rules' as actor,
        'extracted' as method,
        extracted.session_id,
        extracted.message_id,
        cast(null as varchar) as task_id,
        extracted.occurred_at,
        extracted.recorded_at,
        extracted.event_sequence,
        extracted.statement_seq
    from extracted
    cross join position
    where extracted.event_sequence <= position.journal_position
),

-- The message itself, as it was said.
logged as (
    select
        episodes.message_id || ':passage:' || episodes.passage_seq as assertion_id,
        episodes.memory_id,
        episodes.namespace,
        'episode' as kind,
        episodes.content,
        episodes.content_hash,
        cast(null as double) as importance,
        false as is_pinned,
        cast(null as timestamp) as expires_at,
        'log' as actor,
        'logged' as method,
        episodes.session_id,
        episodes.message_id,
        cast(null as varchar) as task_id,
        episodes.occurred_at,
        episodes.recorded_at,
        episodes.event_sequence,
        episodes.passage_seq as statement_seq
    from episodes
    cross join position
    where episodes.event_sequence <= position.journal_position
),

final as (
    select * from written
    union all
    select * from read_from_messages
    union all
    select * from logged
)

select * from final
