{#- The answer to each logged recall came best first. -#}
select
    recall_id,
    hit_rank,
    score
from {{ ref('stg_journal__recall_hits') }}
qualify
    score > lag(score) over (
        partition by recall_id
        order by hit_rank
    ) + 1e-12
