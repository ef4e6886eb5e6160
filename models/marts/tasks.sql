{{ config(materialized='view') }}

with scored as (
    select * from {{ ref('int_tasks_scored') }}
),

final as (
    select
        task_id,
        namespace,
        description,
        session_id,
        started_at,
        finished_at,
        tokens_used,
        tool_calls,
        errors,
        user_corrections,
        is_completed,
        is_open,
        earlier_task_count,
        completion_score,
        tokens_used_score,
        tool_calls_score,
        errors_score,
        user_corrections_score,
        task_score
    from scored
)

select * from final
