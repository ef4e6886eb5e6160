{{ config(materialized='view') }}

with credits as (
    select * from {{ ref('int_memory_credits') }}
),

final as (
    select
        memory_id,
        task_id,
        namespace,
        similarity,
        rank,
        recall_count,
        first_recalled_at,
        rating,
        share,
        task_score,
        credit,
        finished_at
    from credits
)

select * from final
