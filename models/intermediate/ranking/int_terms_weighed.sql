{#-
    How telling each indexed term is within its namespace, and how much of that
    a memory earns by it, in nine decimals: the arithmetic of the lexical score
    on its own, where it can be read and tested.
-#}
{{ config(materialized='ephemeral') }}

with terms as (
    select * from {{ ref('recall_terms') }}
),

lengths as (
    select distinct
        namespace,
        memory_key,
        term_count
    from terms
),

collections as (
    select
        namespace,
        count(*) as memory_count,
        avg(term_count) as average_term_count
    from lengths
    group by namespace
),

joined as (
    select
        terms.namespace,
        terms.memory_key,
        terms.term,
        terms.term_frequency,
        terms.term_count,
        collections.memory_count,
        collections.average_term_count,
        count(*) over (
            partition by terms.namespace, terms.term
        ) as memories_with_term
    from terms
    inner join collections on terms.namespace = collections.namespace
),

final as (
    select
        namespace,
        memory_key,
        term,
        round(
            {{ inverse_document_frequency(
                'memory_count', 'memories_with_term'
            ) }},
            9
        ) as term_weight,
        round(
            {{ term_saturation(
                'term_frequency', 'term_count', 'average_term_count'
            ) }},
            9
        ) as saturation
    from joined
)

select * from final
