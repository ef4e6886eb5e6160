{#- Every task, with those that the last run did not see, and its score if it has one. -#}
with tasks as (
    {{ journal_tasks() | indent(4) }}
),

scored as (
    select * from {{ ref('tasks') }}
),

final as (
    select
        tasks.task_id,
        tasks.namespace,
        tasks.description,
        tasks.session_id,
        tasks.started_at,
        tasks.finished_at,
        tasks.tokens_used,
        tasks.tool_calls,
        tasks.errors,
        tasks.user_corrections,
        tasks.is_completed,
        tasks.is_open,
        scored.task_score
    from tasks
    left join scored on tasks.task_id = scored.task_id
)

select * from final
