{#-
    The memories that this run builds anew: those of which the journal says
    something new, and those that hang on them, as one merged with another, as
    its rival, or by a claim on the same attribute. It may name one too many, and never one too few.
-#}
{{ config(materialized='table') }}

with recursive last_build as (
    select
        last_build.*,
        settings.is_anew
    from {{ ref('stg_builds__last_build') }} as last_build
    cross join {{ ref('int_settings') }} as settings
),

texts as (
    select * from {{ ref('int_texts_changed') }}
),

changes as (
    select * from {{ ref('int_memory_changes') }}
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

ratings as (
    select * from {{ ref('stg_journal__ratings') }}
),

embeddings as (
    select * from {{ ref('stg_journal__embeddings') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

pairs as (
    select * from {{ ref('int_memory_pairs') }}
),

attributes as (
    select
        memory_id,
        namespace,
        coalesce(family, attribute) as attribute,
        subject_key
    from {{ ref('int_memory_attributes') }}
),

new_changes as (
    select changes.*
    from changes
    cross join last_build
    where changes.event_sequence > last_build.journal_position
),

new_pairs as (
    select pairs.*
    from pairs
    cross join last_build
    where pairs.compared_in_build > last_build.build_number
),

told as (
    select texts.memory_id
    from texts
    cross join last_build
    where texts.changed_in_build > last_build.build_number
    union
    select memory_id from new_changes
    union
    select other_memory_id as memory_id from new_changes
    where other_memory_id is not null
    union
    select hits.memory_id
    from hits
    cross join last_build
    where hits.event_sequence > last_build.journal_position
    union
    select ratings.memory_id
    from ratings
    cross join last_build
    where ratings.event_sequence > last_build.journal_position
    union
    select identities.memory_id
    from identities
    inner join embeddings on identities.content_hash = embeddings.content_hash
    cross join last_build
    where embeddings.event_sequence > last_build.journal_position
    union
    select earlier_id as memory_id from new_pairs
    union
    select later_id as memory_id from new_pairs
),

links as (
    select
        earlier_id,
        later_id,
        pair_class = 'update' as is_rivalry
    from pairs
    where pair_class in ('same', 'update')
    union all
    select
        memory_id as earlier_id,
        other_memory_id as later_id,
        true as is_rivalry
    from changes
    where other_memory_id is not null
),

both_ways as materialized (
    select
        earlier_id as memory_id,
        later_id as linked_id,
        cast(is_rivalry as integer) as distance
    from links
    union all
    select
        later_id as memory_id,
        earlier_id as linked_id,
        cast(is_rivalry as integer) as distance
    from links
),

-- All that a merge joins, its rivals, and all that are merged with those.
touched (memory_id, distance) as (
    select
        told.memory_id,
        0 as distance
    from told
    cross join last_build
    -- A build that does all anew asks nobody what has changed.
    where not last_build.is_anew
    union
    select
        both_ways.linked_id as memory_id,
        touched.distance + both_ways.distance as distance
    from touched
    inner join both_ways on touched.memory_id = both_ways.memory_id
    where touched.distance + both_ways.distance <= 1
),

-- Who claims what of one attribute decides together which claim stands.
touched_claims as (
    select distinct
        attributes.namespace,
        attributes.attribute,
        attributes.subject_key
    from attributes
    inner join touched on attributes.memory_id = touched.memory_id
    where touched.distance = 0
),

claim_alike as (
    select distinct memory_id
    from attributes
    where {{ is_claimed_alike('touched_claims') }}
),

all_touched as (
    select memory_id from touched
    union
    select memory_id from claim_alike
),

final as (
    select
        all_touched.memory_id,
        last_build.build_number + 1 as changed_in_build
    from all_touched
    cross join last_build
)

select * from final
