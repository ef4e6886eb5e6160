{#- What memories claim of attributes, one row a claim. -#}
with claims as (
    select * from {{ ref('int_memory_claims') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

unnested as (
    select
        memory_id,
        unnest(claims) as claim
    from claims
),

final as (
    select
        unnested.memory_id,
        identities.namespace,
        identities.kind,
        unnested.claim.part_number as part_number,
        unnested.claim.part_count as part_count,
        unnested.claim.attribute as attribute,
        unnested.claim.subject_key as subject_key,
        unnested.claim.value_key as value_key,
        unnested.claim.category as category,
        unnested.claim.stance as stance,
        unnested.claim.is_change as is_change,
        unnested.claim.is_former as is_former,
        unnested.claim.is_dated as is_dated,
        unnested.claim.is_single_valued as is_single_valued,
        unnested.claim.family as family,
        unnested.claim.on_change as on_change
    from unnested
    inner join identities on unnested.memory_id = identities.memory_id
)

select * from final
