{#-
    The lexical index, in the order of terms, so that a query reads few of its
    row groups. A memory that turns out to be older is indexed anew, as its
    date is among its terms.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_id',
    on_schema_change='fail',
) }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

new_memories as (
    select identities.*
    from identities
    {% if is_incremental() %}
    left join (  -- noqa: ST05
        select distinct
            memory_id,
            first_asserted_at
        from {{ this }}
    ) as known
        on
            identities.memory_id = known.memory_id
            and identities.first_asserted_at = known.first_asserted_at
    where known.memory_id is null
    {% endif %}
),

final as (
    {{ counted_terms('new_memories', 'first_asserted_at') }}
)

select * from final
order by term
