{#-
    The memories of which anything may read otherwise after this run: those
    that were touched, and those that a task gave another credit.
-#}
{{ config(materialized='table') }}

with last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

touched as (
    select * from {{ ref('int_memories_touched') }}
),

credits as (
    select * from {{ ref('int_memory_credits') }}
),

changed as (
    select memory_id from touched
    union
    select credits.memory_id
    from credits
    cross join last_build
    where credits.changed_in_build > last_build.build_number
),

final as (
    select
        changed.memory_id,
        last_build.build_number + 1 as changed_in_build
    from changed
    cross join last_build
)

select * from final
