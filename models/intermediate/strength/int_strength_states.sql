{#- Strength after each use: what a look into the past reads. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with strengths as (
    select * from {{ ref('int_memory_strengths') }}
    {{ where_changed('memory_id') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

final as (
    select
        {{ memory_key('strengths.memory_id') }} as memory_key,
        strengths.memory_id,
        step.event_id as event_id,
        step.use_kind as use_kind,
        step.used_at as used_at,
        step.strength_before as strength_before,
        step.strength_after as strength_after,
        step.stability_after as stability_after
    from strengths
    inner join memories on strengths.memory_id = memories.memory_id
    cross join unnest(strengths.trace) as steps (step)
)

select * from final
order by memory_id, used_at, event_id
