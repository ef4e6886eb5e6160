{#-
    The textbook ranking over the same terms, k1 = 1.2, b = 0.75, every word of
    the query, nothing else: what benchmarks are held against.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    group='maintenance',
    parameters=['queries_table', 'top_k := 5', "namespaces := ['default']"],
) }}
with queries as (
    select
        query_id,
        unnest(list_distinct({{ tokenise_query('query_text') }})) as term
    from query_table(queries_table)
),

terms as (
    select terms.*
    from {{ ref('recall_terms') }} as terms
    where list_contains(cast(namespaces as varchar[]), terms.namespace)
),

lengths as (
    select
        memory_key,
        any_value(term_count) as term_count
    from terms
    group by memory_key
),

collection as (
    select
        count(*) as memory_count,
        avg(term_count) as average_term_count
    from lengths
),

matches as (
    select
        queries.query_id,
        terms.memory_key,
        terms.term_frequency,
        terms.term_count,
        count(*) over (partition by queries.query_id, terms.term)
            as memories_with_term
    from queries
    inner join terms on queries.term = terms.term
),

scored as (
    select
        matches.query_id,
        matches.memory_key,
        sum(
            ln(
                1.0 + (
                    collection.memory_count - matches.memories_with_term + 0.5
                ) / (matches.memories_with_term + 0.5)
            )
            * matches.term_frequency * 2.2 / (
                matches.term_frequency + 1.2 * (
                    0.25 + 0.75 * matches.term_count
                    / collection.average_term_count
                )
            )
        ) as score
    from matches
    cross join collection
    group by matches.query_id, matches.memory_key
),

final as (
    select
        scored.query_id,
        memories.memory_id,
        scored.score
    from scored
    inner join {{ ref('int_memory_identities') }} as memories
        on scored.memory_key = {{ memory_key('memories.memory_id') }}
)

select * from final
qualify
    row_number() over (
        partition by query_id
        order by score desc, memory_id asc
    ) <= top_k
order by query_id asc, score desc, memory_id asc
