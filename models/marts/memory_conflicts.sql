{#- Statements that came after a correction, say what it put right, and changed nothing. -#}
with held as (
    select * from {{ ref('int_statements_held') }}
),

assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

final as (
    select
        held.memory_id,
        held.kept_id as kept_memory_id,
        assertions.namespace,
        assertions.actor,
        assertions.method,
        assertions.session_id as source_session_id,
        assertions.message_id as source_message_id,
        held.occurred_at as stated_at,
        held.recorded_at,
        held.corrected_at,
        held.reason
    from held
    inner join assertions on held.event_id = assertions.assertion_id
)

select * from final
