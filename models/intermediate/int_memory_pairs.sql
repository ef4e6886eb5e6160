{#-
    Pairs of memories of one namespace that look alike, and what the later is
    to the earlier. Only pairs with a new side are compared; one is compared
    again when a vector arrives, or an older date turns the pair round.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='pair_id',
    on_schema_change='fail',
) }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

tokens as (
    select * from {{ ref('int_memory_tokens') }}
),

vectors as (
    select * from {{ ref('int_memory_vectors') }}
),

all_keys as (
    select
        tokens.memory_id,
        tokens.namespace,
        tokens.tokenised_at_position,
        identities.first_asserted_at,
        unnest(tokens.block_keys) as block_key
    from tokens
    inner join identities on tokens.memory_id = identities.memory_id
),

new_keys as (
    select distinct
        namespace,
        block_key
    from all_keys
    {% if is_incremental() %}
    where
        tokenised_at_position >= coalesce(
            (select max(known.paired_through) from {{ this }} as known), 0
        )
    {% endif %}
),

keyed as (
    select
        all_keys.*,
        row_number() over (
            partition by all_keys.namespace, all_keys.block_key
            order by all_keys.first_asserted_at, all_keys.memory_id
        ) as block_place
    from all_keys
    inner join new_keys
        on
            all_keys.namespace = new_keys.namespace
            and all_keys.block_key = new_keys.block_key
),

new_keyed as (
    select *
    from keyed
    {% if is_incremental() %}
    where
        tokenised_at_position >= coalesce(
            (select max(known.paired_through) from {{ this }} as known), 0
        )
    {% endif %}
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
to_compare_again as (
    select
        case when is_turned then known.later_id else known.earlier_id end
            as earlier_id,
        case when is_turned then known.earlier_id else known.later_id end
            as later_id
    from (
        select
            pairs.*,
            (earlier.first_asserted_at, pairs.earlier_id)
            > (later.first_asserted_at, pairs.later_id) as is_turned
        from {{ this }} as pairs
        inner join identities as earlier
            on pairs.earlier_id = earlier.memory_id
        inner join identities as later on pairs.later_id = later.memory_id
    ) as known
    where known.is_turned or known.similarity is null
),
{%- endif %}

candidates as (
    select * from alike
    {% if is_incremental() -%}
    union
    select * from to_compare_again
    {%- endif %}
),

measured as (
    select
        candidates.earlier_id,
        candidates.later_id,
        candidates.earlier_id || ' whole' as earlier_content_hash,
        candidates.later_id || ' whole' as later_content_hash,
        array_cosine_similarity(earlier.vector, later.vector) as similarity
    from candidates
    left join vectors as earlier on candidates.earlier_id = earlier.memory_id
    left join vectors as later on candidates.later_id = later.memory_id
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
    {{ pair_classification('measured', 'token_rows') }}
),

classified_by_clause as (
    {{ pair_classification('by_clause', 'token_rows') }}
),

-- A comment behind a statement does not save what it says from an update, but
-- two statements with different comments are not the same.
classified as (
    select
        classified_whole.earlier_id,
        classified_whole.later_id,
        case
            when
                classified_whole.pair_class = 'different'
                and classified_by_clause.pair_class = 'update'
                then 'update'
            else classified_whole.pair_class
        end as pair_class,
        case
            when
                classified_whole.pair_class = 'different'
                and classified_by_clause.pair_class = 'update'
                then classified_by_clause.reason
            else classified_whole.reason
        end as reason
    from classified_whole
    left join classified_by_clause
        on
            classified_whole.earlier_id = classified_by_clause.earlier_id
            and classified_whole.later_id = classified_by_clause.later_id
),

final as (
    select
        least(classified.earlier_id, classified.later_id)
        || greatest(classified.earlier_id, classified.later_id) as pair_id,
        classified.earlier_id,
        classified.later_id,
        measured.similarity,
        classified.pair_class,
        classified.reason,
        earlier.vocabulary_fingerprint,
        greatest(
            earlier.tokenised_at_position, later.tokenised_at_position
        ) as paired_through
    from classified
    inner join measured
        on
            classified.earlier_id = measured.earlier_id
            and classified.later_id = measured.later_id
    inner join tokens as earlier
        on
            classified.earlier_id = earlier.memory_id
            and not earlier.is_main_clause
    inner join tokens as later
        on classified.later_id = later.memory_id and not later.is_main_clause
)

select * from final
