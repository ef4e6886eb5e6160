{{ config(materialized='table') }}

with memories as (
    select * from {{ ref('int_memories') }}
),

final as (
    select
        memory_id,
        cast(1.0 as double) as weight
    from memories
)

select * from final
