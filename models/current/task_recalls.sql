{#-
    What was recalled in each task, under the id that it had and under that of
    the memory that it counts as by now.
-#}
with hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

recalled as (
    select
        recalls.task_id,
        hits.memory_id,
        recalls.occurred_at
    from hits
    inner join recalls on hits.recall_id = recalls.recall_id
    where recalls.task_id is not null
),

named as (
    select * from recalled
    union all
    select
        recalled.task_id,
        canonicals.canonical_id as memory_id,
        recalled.occurred_at
    from recalled
    inner join canonicals on recalled.memory_id = canonicals.memory_id
),

final as (
    select
        task_id,
        memory_id,
        min(occurred_at) as first_recalled_at
    from named
    group by task_id, memory_id
)

select * from final
