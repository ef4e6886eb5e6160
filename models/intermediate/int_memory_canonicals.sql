{{ config(materialized='table') }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

final as (
    select
        memory_id,
        memory_id as canonical_id
    from identities
)

select * from final
