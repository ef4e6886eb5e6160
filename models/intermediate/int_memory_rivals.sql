{#- Pairs of memories of which only the last stated is live, both ways round. -#}
with changes as (
    select * from {{ ref('int_memory_changes') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

corrections as (
    select distinct
        earlier.canonical_id as earlier_id,
        later.canonical_id as later_id,
        coalesce(changes.reason, 'corrected') as explanation
    from changes
    inner join canonicals as earlier on changes.memory_id = earlier.memory_id
    inner join canonicals as later
        on changes.other_memory_id = later.memory_id
    where
        changes.change = 'supersede'
        and earlier.canonical_id <> later.canonical_id
),

final as (
    select
        earlier_id as memory_id,
        later_id as rival_id,
        min(explanation) as explanation
    from (
        select * from corrections
        union all
        select
            later_id as earlier_id,
            earlier_id as later_id,
            explanation
        from corrections
    ) as both_ways
    group by earlier_id, later_id
)

select * from final
