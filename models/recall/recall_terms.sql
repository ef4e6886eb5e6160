{#- The lexical index, and the terms of memories that it does not hold yet. -#}
with indexed as not materialized (
    select * from {{ ref('int_memory_terms') }}
),

tail as (
    select * from {{ ref('recall_tail') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

new_memories as (
    select
        writes.memory_id,
        writes.namespace,
        writes.content,
        min(writes.occurred_at) as first_asserted_at
    from writes
    inner join tail on writes.memory_id = tail.memory_id
    -- Not `not in`: an anti join asks nothing of the index for an empty tail.
    where
        not exists (
            select 1
            from indexed
            where indexed.memory_id = writes.memory_id
        )
    group by writes.memory_id, writes.namespace, writes.content
),

counted as (
    {{ counted_terms('new_memories', 'first_asserted_at') }}
),

final as (
    select * from indexed
    union all
    select * from counted
)

select * from final
