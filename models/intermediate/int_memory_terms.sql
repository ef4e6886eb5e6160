{#- The lexical index. Kept in the order of terms, so that a query reads few of its row groups. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='fail',
) }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

new_memories as (
    select *
    from identities
    {% if is_incremental() %}
    where memory_id not in (select memory_id from {{ this }})
    {% endif %}
),

tokenised as (
    select
        memory_id,
        namespace,
        {{ tokenise('content') }} as terms
    from new_memories
),

unnested as (
    select
        memory_id,
        namespace,
        len(terms) as term_count,
        unnest(terms) as term
    from tokenised
),

final as (
    select
        memory_id,
        namespace,
        term,
        count(*) as term_frequency,
        any_value(term_count) as term_count
    from unnested
    group by memory_id, namespace, term
)

select * from final
order by term
