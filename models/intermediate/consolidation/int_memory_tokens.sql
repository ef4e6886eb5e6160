{#-
    What each memory's text says, as tokens that can be compared, and where to
    look for its like: a row for the whole text, and one for its first clause
    where it has several.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='fail',
) }}

-- An episode is what was said at its time: nothing said later changes it.
with identities as (
    select * from {{ ref('int_memory_identities') }}
    where kind <> 'episode'
),

new_memories as (
    select
        identities.memory_id,
        identities.content,
        {{ main_clause('identities.content') }} as clause
    from identities
    {% if is_incremental() %}
    where
        identities.memory_id not in (
            select known.memory_id
            from {{ this }} as known
        )
    {% endif %}
),

texts as (
    select
        memory_id || ' whole' as content_hash,
        content
    from new_memories
    union all
    select
        memory_id || ' clause' as content_hash,
        clause as content
    from new_memories
    where clause is not null
),

tokens as (
    {{ significant_tokens('texts', ref('comparison_words')) }}
),

final as (
    select
        split_part(tokens.content_hash, ' ', 1) as memory_id,
        tokens.content_hash as text_id,
        split_part(tokens.content_hash, ' ', 2) = 'clause' as is_main_clause,
        identities.namespace,
        tokens.* exclude (content_hash),  -- noqa: RF02
        {{ block_keys('tokens') }} as block_keys
    from tokens
    inner join identities
        on split_part(tokens.content_hash, ' ', 1) = identities.memory_id
)

select * from final
