{#-
    What each memory has proved to be worth: its prior by origin, then a step
    for each task that ended, in the order of the ends. Computed whole each
    time, so ratings that come in late count at their own time.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_changed'},
) }}
{#- Built behind what says which memories changed: nothing else here waits for it. -#}
-- depends_on: {{ ref('int_memories_changed') }}

with memories as (
    select * from {{ ref('int_memories') }}
    {{ where_changed('memory_id') }}
),

credits as (
    select * from {{ ref('int_memory_credits') }}
    {{ where_changed('memory_id') }}
),

gathered as (
    select
        memory_id,
        count(*) as credit_count,
        max(finished_at) as weighed_at,
        list(
            struct_pack(
                task_id,
                event_id := end_event_id,
                weighed_at := finished_at,
                rating,
                share,
                credit,
                target_weight,
                learning_rate
            )
            order by finished_at, end_event_id
        ) as credits
    from credits
    where credit is not null
    group by memory_id
),

started as (
    select
        memories.memory_id,
        {{ prior_weight('memories.method') }} as first_weight,
        gathered.weighed_at,
        coalesce(gathered.credit_count, 0) as credit_count,
        coalesce(gathered.credits, []) as credits
    from memories
    left join gathered on memories.memory_id = gathered.memory_id
),

folded as (
    select
        *,
        coalesce({{ folded_credits('credits', 'first_weight') }}, [])
            as weights
    from started
),

final as (
    select
        memory_id,
        coalesce(weights[-1], first_weight) as weight,
        first_weight,
        weighed_at,
        credit_count,
        list_transform(
            credits,
            lambda given, place: struct_pack(
                task_id := given.task_id,
                event_id := given.event_id,
                weighed_at := given.weighed_at,
                rating := given.rating,
                share := given.share,
                credit := given.credit,
                target_weight := given.target_weight,
                learning_rate := given.learning_rate,
                weight_before := coalesce(weights[place - 1], first_weight),
                weight_after := weights[place]
            )
        ) as trace
    from folded
)

select * from final
