{#- What each memory's text says, as tokens that can be compared, and where to look for its like. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_id',
    on_schema_change='fail',
) }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

position as (
    select * from {{ ref('int_journal_position') }}
),

new_memories as (
    select
        identities.memory_id as content_hash,
        identities.content
    from identities
    {% if is_incremental() %}
    where
        identities.memory_id not in (
            select known.memory_id
            from {{ this }} as known
            where known.vocabulary_fingerprint = {{ vocabulary_fingerprint() }}
        )
    {% endif %}
),

tokens as (
    {{ significant_tokens('new_memories', ref('comparison_words')) }}
),

final as (
    select
        tokens.content_hash as memory_id,
        identities.namespace,
        tokens.* exclude (content_hash),
        {{ block_keys('tokens') }} as block_keys,
        {{ vocabulary_fingerprint() }} as vocabulary_fingerprint,
        position.journal_position as tokenised_at_position
    from tokens
    inner join identities on tokens.content_hash = identities.memory_id
    cross join position
)

select * from final
