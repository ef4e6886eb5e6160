{#-
    What each memory's text claims of the attributes that the seeds know, as a
    list; a text is read once under one set of patterns.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_id',
    on_schema_change='sync_all_columns',
) }}

-- depends_on: {{ ref('attribute_patterns') }}
{%- set patterns = attribute_patterns() %}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

new_memories as (
    select
        memory_id as content_hash,
        content
    from identities
    {% if is_incremental() %}
    where
        memory_id not in (
            select known.memory_id
            from {{ this }} as known
            where known.attributes_fingerprint = {{ attributes_fingerprint(patterns) }}
        )
    {% endif %}
),

clauses as (
    {{ claim_clauses('new_memories') }}
),

claims as (
    {{ attribute_claims(
        'clauses',
        ref('attributes'),
        ref('attribute_words'),
        ref('comparison_words'),
        patterns
    ) }}
),

gathered as (
    select
        content_hash,
        list(claims order by part_number, attribute, value_key) as claims
    from claims
    group by content_hash
),

final as (
    select
        new_memories.content_hash as memory_id,
        gathered.claims,
        {{ attributes_fingerprint(patterns) }} as attributes_fingerprint
    from new_memories
    left join gathered on new_memories.content_hash = gathered.content_hash
)

select * from final
