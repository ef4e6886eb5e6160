{#-
    Pairs of memories of one namespace that look alike, and what the later is
    to the earlier. Only pairs with a new side are compared: a text that is new,
    or that proves older than was known. One is compared again when the second
    of its vectors arrives. A text meets so many neighbours in the order in
    which they arrived, which nothing that comes later changes.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='pair_id',
    on_schema_change='fail',
) }}
{%- set embeddings = ref('stg_journal__embeddings') -%}
{%- set is_all_compared = is_incremental() and not has_rows(
    'select 1 from ' ~ ref('int_memory_identities') ~ ' as texts'
    ~ ' cross join ' ~ ref('stg_builds__last_build') ~ ' as last_build'
    ~ ' where texts.dated_in_build > last_build.build_number'
    ~ ' union all select 1 from ' ~ embeddings ~ ' as vectors'
    ~ ' cross join ' ~ ref('stg_builds__last_build') ~ ' as last_build'
    ~ ' where vectors.event_sequence > last_build.journal_position'
) %}

{% if is_all_compared -%}
select * from {{ this }}
where false
{%- else -%}
with identities as (
    select * from {{ ref('int_memory_identities') }}
),

tokens as (
    select * from {{ ref('int_memory_tokens') }}
),

vectors as (
    select * from {{ ref('int_memory_vectors') }}
),

last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

new_texts as (
    select identities.memory_id
    from identities
    {% if is_incremental() -%}
    cross join last_build
    where identities.dated_in_build > last_build.build_number
    {%- endif %}
),

new_keys as (
    select distinct
        tokens.namespace,
        unnest(tokens.block_keys) as block_key
    from tokens
    inner join new_texts on tokens.memory_id = new_texts.memory_id
),

all_keys as (
    select
        memory_id,
        namespace,
        unnest(block_keys) as block_key
    from tokens
),

keyed as (
    select
        all_keys.*,
        identities.first_asserted_at,
        row_number() over (
            partition by all_keys.namespace, all_keys.block_key
            order by identities.arrived_at, all_keys.memory_id
        ) as block_place
    from all_keys
    inner join new_keys
        on
            all_keys.namespace = new_keys.namespace
            and all_keys.block_key = new_keys.block_key
    inner join identities on all_keys.memory_id = identities.memory_id
),

new_keyed as (
    select keyed.*
    from keyed
    inner join new_texts on keyed.memory_id = new_texts.memory_id
),

alike as (
    select distinct
        least(
            (new_keyed.first_asserted_at, new_keyed.memory_id),
            (keyed.first_asserted_at, keyed.memory_id)
        )[2] as earlier_id,
        greatest(
            (new_keyed.first_asserted_at, new_keyed.memory_id),
            (keyed.first_asserted_at, keyed.memory_id)
        )[2] as later_id
    from new_keyed
    inner join keyed
        on
            new_keyed.namespace = keyed.namespace
            and new_keyed.block_key = keyed.block_key
            and new_keyed.memory_id <> keyed.memory_id
            -- More alike than that are a template: each meets its neighbours.
            and abs(new_keyed.block_place - keyed.block_place)
            <= {{ var('largest_block') }}
),

{% if is_incremental() -%}
with_vectors_now as (
    select
        pairs.earlier_id,
        pairs.later_id
    from {{ this }} as pairs
    inner join vectors as earlier on pairs.earlier_id = earlier.memory_id
    inner join vectors as later on pairs.later_id = later.memory_id
    -- What is new is compared above, and perhaps the other way round.
    where
        pairs.similarity is null
        and pairs.earlier_id not in (select n.memory_id from new_texts as n)
        and pairs.later_id not in (select n.memory_id from new_texts as n)
),
{%- endif %}

candidates as (
    select * from alike
    {% if is_incremental() -%}
    union
    select * from with_vectors_now
    {%- endif %}
),

vectors_needed as (
    select vectors.*
    from vectors
    inner join (  -- noqa: ST05
        select earlier_id as memory_id from candidates
        union
        select later_id as memory_id from candidates
    ) as needed
        on vectors.memory_id = needed.memory_id
),

measured as (
    select
        candidates.earlier_id,
        candidates.later_id,
        candidates.earlier_id || ' whole' as earlier_content_hash,
        candidates.later_id || ' whole' as later_content_hash,
        array_cosine_similarity(earlier.vector, later.vector) as similarity
    from candidates
    left join vectors_needed as earlier
        on candidates.earlier_id = earlier.memory_id
    left join vectors_needed as later
        on candidates.later_id = later.memory_id
),

token_rows as (
    select
        text_id as content_hash,
        * exclude (memory_id, text_id)
    from tokens
),

-- The same pairs by their first clauses, where either has one.
by_clause as (
    select
        measured.earlier_id,
        measured.later_id,
        coalesce(earlier.text_id, measured.earlier_content_hash)
            as earlier_content_hash,
        coalesce(later.text_id, measured.later_content_hash)
            as later_content_hash,
        measured.similarity
    from measured
    left join tokens as earlier
        on measured.earlier_id = earlier.memory_id and earlier.is_main_clause
    left join tokens as later
        on measured.later_id = later.memory_id and later.is_main_clause
    where earlier.text_id is not null or later.text_id is not null
),

classified_whole as (
    {{ pair_classification('measured', 'token_rows', ref('pair_rules')) }}
),

classified_by_clause as (
    {{ pair_classification('by_clause', 'token_rows', ref('pair_rules')) }}
),

-- A comment behind a statement does not save what it says from an update, but
-- two statements with different comments are not the same.
classified as (
    select
        whole.earlier_id,
        whole.later_id,
        case
            when whole.pair_class = 'different' and by_clause.pair_class = 'update'
                then by_clause  -- noqa: RF02
            else whole  -- noqa: RF02
        end as verdict
    from classified_whole as whole
    left join classified_by_clause as by_clause
        on
            whole.earlier_id = by_clause.earlier_id
            and whole.later_id = by_clause.later_id
),

final as (
    select
        least(classified.earlier_id, classified.later_id)
        || greatest(classified.earlier_id, classified.later_id) as pair_id,
        classified.earlier_id,
        classified.later_id,
        measured.similarity,
        classified.verdict.pair_class,
        classified.verdict.rule,
        classified.verdict.reason,
        classified.verdict.reverse_reason,
        last_build.build_number + 1 as compared_in_build
    from classified
    inner join measured
        on
            classified.earlier_id = measured.earlier_id
            and classified.later_id = measured.later_id
    cross join last_build
)

select * from final
{%- endif %}
