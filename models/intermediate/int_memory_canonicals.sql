{#-
    Which memory each text counts as: the earliest text that is the same, or
    itself. A text that was taken out of a merge by name stays by itself.
-#}
{{ config(materialized='table') }}

with recursive identities as (
    select * from {{ ref('int_memory_identities') }}
),

changes as (
    select * from {{ ref('int_memory_changes') }}
),

pairs as (
    select * from {{ ref('int_memory_pairs') }}
),

separated as (
    select distinct memory_id
    from changes
    where change = 'unmerge'
),

same_pairs as (
    select
        pairs.earlier_id,
        pairs.later_id,
        earlier.first_asserted_at
    from pairs
    inner join identities as earlier on pairs.earlier_id = earlier.memory_id
    -- A pair may outlive a text that the rules no longer read from the log.
    inner join identities as later on pairs.later_id = later.memory_id
    where
        pairs.pair_class = 'same'
        and pairs.vocabulary_fingerprint = {{ vocabulary_fingerprint() }}
        and pairs.earlier_id not in (select separated.memory_id from separated)
        and pairs.later_id not in (select separated.memory_id from separated)
),

earliest as (
    select
        later_id as memory_id,
        arg_min(earlier_id, (first_asserted_at, earlier_id)) as target_id
    from same_pairs
    group by later_id
),

-- Each target is earlier than what points to it, so this ends.
resolved (memory_id, canonical_id) as (
    select
        identities.memory_id,
        identities.memory_id as canonical_id
    from identities
    where identities.memory_id not in (select earliest.memory_id from earliest)
    union all
    select
        earliest.memory_id,
        resolved.canonical_id
    from earliest
    inner join resolved on earliest.target_id = resolved.memory_id
)

select
    memory_id,
    canonical_id
from resolved
