{{ config(materialized='view') }}

with assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

final as (
    select
        canonicals.canonical_id as memory_id,
        assertions.assertion_id,
        assertions.memory_id as stated_memory_id,
        assertions.content as stated_content,
        assertions.kind,
        assertions.method,
        assertions.actor,
        assertions.session_id,
        assertions.message_id,
        assertions.task_id,
        assertions.occurred_at,
        assertions.recorded_at
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
)

select * from final
