{#-
    Pairs of memories of which only the last stated is live, both ways round.
    What was corrected comes back by a statement that was recorded after
    `corrected_at`; those before it are what the correction is about.
-#}
with changes as (
    select * from {{ ref('int_memory_changes') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

pairs as (
    select * from {{ ref('int_memory_pairs') }}
),

attribute_rivals as (
    select * from {{ ref('int_memory_attribute_rivals') }}
),

corrections as (
    select distinct
        earlier.canonical_id as earlier_id,
        later.canonical_id as later_id,
        coalesce(changes.reason, 'corrected') as explanation,
        cast(null as varchar) as reverse_explanation,
        changes.recorded_at as corrected_at,
        -- What somebody gave as the reason says more than what the rules see.
        changes.reason <> 'corrected' as is_explained,
        false as is_one_way
    from changes
    inner join canonicals as earlier on changes.memory_id = earlier.memory_id
    inner join canonicals as later
        on changes.other_memory_id = later.memory_id
    where
        changes.change = 'supersede'
        and earlier.canonical_id <> later.canonical_id
),

updates as (
    select distinct
        earlier.canonical_id as earlier_id,
        later.canonical_id as later_id,
        pairs.reason as explanation,
        pairs.reverse_reason as reverse_explanation,
        cast(null as timestamp) as corrected_at,
        false as is_explained,
        false as is_one_way
    from pairs
    inner join canonicals as earlier on pairs.earlier_id = earlier.memory_id
    inner join canonicals as later on pairs.later_id = later.memory_id
    where
        pairs.pair_class = 'update'
        and earlier.canonical_id <> later.canonical_id
),

rivalries as (
    select * from corrections
    union all
    select * from updates
    union all
    select
        earlier_id,
        later_id,
        explanation,
        reverse_explanation,
        cast(null as timestamp) as corrected_at,
        false as is_explained,
        is_one_way
    from attribute_rivals
),

both_ways as (
    select
        earlier_id as memory_id,
        later_id as rival_id,
        explanation,
        cast(null as timestamp) as corrected_at,
        is_explained
    from rivalries
    union all
    select
        later_id as memory_id,
        earlier_id as rival_id,
        reverse_explanation as explanation,
        corrected_at,
        false as is_explained
    from rivalries
    where not is_one_way
),

final as (
    select
        memory_id,
        rival_id,
        coalesce(
            min(explanation) filter (where is_explained),
            max(explanation),
            'stated again'
        ) as explanation,
        min(corrected_at) as corrected_at
    from both_ways
    group by memory_id, rival_id
)

select * from final
