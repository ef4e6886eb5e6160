{#-
    Which memory each text counts as: the earliest text that is the same, or
    itself. A text that was taken out of a merge by name stays by itself. What is
    touched has with it all that it was or is merged with.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}
-- depends_on: {{ ref('int_memories_touched') }}

with recursive identities as (
    select * from {{ ref('int_memory_identities') }}
    {{ where_changed('memory_id') }}
),

last_build as (
    select * from {{ ref('stg_builds__last_build') }}
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
    -- A pair may outlive a text that nobody states any more.
    inner join identities as later on pairs.later_id = later.memory_id
    where
        pairs.pair_class = 'same'
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
),

final as (
    select
        resolved.memory_id,
        resolved.canonical_id,
        {% if is_incremental() -%}
        coalesce(known.changed_in_build, last_build.build_number + 1)
        {%- else -%}
        last_build.build_number + 1
        {%- endif %} as changed_in_build
    from resolved
    {% if is_incremental() -%}
    left join {{ this }} as known
        on
            resolved.memory_id = known.memory_id
            and resolved.canonical_id = known.canonical_id
    {%- endif %}
    cross join last_build
)

select * from final
