{{ config(materialized='view') }}

with versions as (
    select * from {{ ref('int_memory_versions') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

final as (
    select
        versions.memory_id,
        versions.version,
        memories.namespace,
        memories.kind,
        memories.content,
        versions.valid_from,
        versions.valid_to,
        versions.recorded_from,
        versions.recorded_to,
        versions.opened_because,
        versions.closed_because,
        versions.explanation,
        versions.closed_by,
        versions.superseded_by,
        versions.opened_by_event_id,
        versions.closed_by_event_id
    from versions
    inner join memories on versions.memory_id = memories.memory_id
)

select * from final
