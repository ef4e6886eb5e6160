{#-
    Every memory's strength as stored and as of a moment, its weight, and
    whether it is recalled.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=["as_of := cast(null as timestamp)"],
) }}
with moment as (
    select {{ asked_moment('as_of') }} as as_of
),

last_versions as (
    select *
    from {{ ref('int_memory_versions') }}
    qualify
        row_number() over (
            partition by memory_id
            order by version desc
        ) = 1
),

stored as (
    select
        memories.*,
        strengths.strength,
        strengths.strengthened_at,
        strengths.stability,
        weights.weight,
        weights.first_weight,
        last_versions.valid_to,
        last_versions.closed_because,
        last_versions.explanation
    from {{ ref('int_memories') }} as memories
    inner join {{ ref('int_memory_strengths') }} as strengths
        on memories.memory_id = strengths.memory_id
    inner join {{ ref('int_memory_weights') }} as weights
        on memories.memory_id = weights.memory_id
    inner join last_versions on memories.memory_id = last_versions.memory_id
)

select
    stored.memory_id,
    stored.namespace,
    stored.kind,
    stored.content,
    stored.strength,
    stored.strengthened_at,
    stored.decay_model,
    stored.decay_base,
    stored.stability,
    stored.strength_floor,
    {{ strength_at('moment.as_of', relation='stored') }} as strength_now,
    {{ age_in_days('stored.strengthened_at', 'moment.as_of') }} as days_since,
    stored.weight,
    stored.first_weight,
    stored.valid_to is null as is_live,
    nullif(
        concat_ws(', ', stored.closed_because, stored.explanation), ''
    ) as forgotten_because
from stored
cross join moment
