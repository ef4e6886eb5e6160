{#- A memory's weight before and after each task that said something of it. -#}
with weights as (
    select * from {{ ref('int_memory_weights') }}
),

final as (
    select
        weights.memory_id,
        step.task_id as task_id,
        step.event_id as event_id,
        step.weighed_at as weighed_at,
        step.rating as rating,
        step.share as share,
        step.credit as credit,
        step.target_weight as target_weight,
        step.learning_rate as learning_rate,
        step.weight_before as weight_before,
        step.weight_after as weight_after
    from weights
    cross join unnest(weights.trace) as steps (step)
)

select * from final
