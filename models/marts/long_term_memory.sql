{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_changed'},
) }}

with versions as (
    select * from {{ ref('int_memory_versions') }}
    {{ where_changed('memory_id') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

strengths as (
    select * from {{ ref('int_memory_strengths') }}
),

weights as (
    select * from {{ ref('int_memory_weights') }}
),

final as (
    select
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        memories.created_at,
        strengths.last_used_at as last_accessed_at,
        strengths.use_count as access_count,
        memories.source_count,
        strengths.strength,
        strengths.strengthened_at,
        strengths.stability,
        memories.strength_floor,
        memories.decay_model,
        memories.decay_base,
        weights.weight,
        memories.importance,
        memories.is_pinned,
        memories.expires_at,
        memories.method,
        memories.actor,
        memories.source_session_id,
        memories.source_message_id,
        memories.source_task_id,
        versions.valid_from,
        versions.recorded_from
    from versions
    inner join memories on versions.memory_id = memories.memory_id
    inner join strengths on versions.memory_id = strengths.memory_id
    inner join weights on versions.memory_id = weights.memory_id
    where versions.valid_to is null
)

select * from final
