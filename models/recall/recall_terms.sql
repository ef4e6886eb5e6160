{#-
    The lexical index, in the order in which a query looks: by namespace, then
    by term, so that few of its blocks are read. A memory that turns out to be
    older is indexed anew, as its date is among its terms.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_key',
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
            memory_key,
            dated_on
        from {{ this }}
    ) as known
        on
            {{ memory_key('identities.memory_id') }} = known.memory_key
            and cast(identities.first_asserted_at as date) = known.dated_on
    where known.memory_key is null
    {% endif %}
),

final as (
    {{ counted_terms('new_memories', 'first_asserted_at') }}
)

select * from final
order by
    namespace asc,
    term_key asc
