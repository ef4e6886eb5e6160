{#- The lexical index, and the terms of memories that it does not hold yet. -#}
with indexed as (
    select * from {{ ref('int_memory_terms') }}
),

tail as (
    select * from {{ ref('recall_tail') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

new_texts as (
    select distinct
        writes.memory_id,
        writes.namespace,
        writes.content
    from writes
    inner join tail on writes.memory_id = tail.memory_id
    where
        writes.memory_id not in (select indexed.memory_id from indexed)
),

tokenised as (
    select
        memory_id,
        namespace,
        {{ tokenise('content') }} as terms
    from new_texts
),

unnested as (
    select
        memory_id,
        namespace,
        len(terms) as term_count,
        unnest(terms) as term
    from tokenised
),

counted as (
    select
        memory_id,
        namespace,
        term,
        count(*) as term_frequency,
        any_value(term_count) as term_count
    from unnested
    group by memory_id, namespace, term
),

final as (
    select * from indexed
    union all
    select * from counted
)

select * from final
