{#-
    Every retrieval of a memory, and whether it was of use: rated 2 or 3 in its
    task or, where nobody rated it, clearly related to the question.
-#}
with hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
    where as_of is null
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

attributions as (
    select * from {{ ref('int_memory_credits') }}
),

uses as (
    select * from {{ ref('int_memory_uses') }}
),

final as (
    select
        hits.event_id,
        canonicals.canonical_id as memory_id,
        hits.recall_id,
        hits.occurred_at,
        coalesce(attributions.rating >= 2, uses.event_id is not null)
            as was_of_use
    from hits
    inner join recalls on hits.recall_id = recalls.recall_id
    inner join canonicals on hits.memory_id = canonicals.memory_id
    left join attributions
        on
            recalls.task_id = attributions.task_id
            and canonicals.canonical_id = attributions.memory_id
    left join uses on hits.event_id = uses.event_id
)

select * from final
