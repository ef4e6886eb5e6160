{#- All that was recalled in a task shares its outcome, whole. -#}
select
    task_id,
    sum(share) as share_total
from {{ ref('memory_attribution') }}
group by task_id
-- All from looks into the past: nothing has a share.
having sum(share) > 0.0 and abs(sum(share) - 1.0) > 1e-9
