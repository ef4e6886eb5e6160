with position as (
    select * from {{ ref('int_journal_position') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

extracted as (
    select * from {{ ref('int_statements_extracted') }}
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
        writes.recorded_at
    from writes
    cross join position
    where writes.event_sequence <= position.journal_position
),

read_from_messages as (
    select
        message_id || ':' || statement_seq as assertion_id,
        memory_id,
        namespace,
        kind,
        content,
        content_hash,
        cast(null as double) as importance,
        false as is_pinned,
        cast(null as timestamp) as expires_at,
        'rules' as actor,
        'extracted' as method,
        session_id,
        message_id,
        cast(null as varchar) as task_id,
        occurred_at,
        recorded_at
    from extracted
),

final as (
    select * from written
    union all
    select * from read_from_messages
)

select * from final
