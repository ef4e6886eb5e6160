{#- What is live is among the candidates, unless the journal has closed it since. -#}
select memories.memory_id
from {{ ref('long_term_memory') }} as memories
left join {{ ref('recall_candidates') }} as candidates
    on
        memories.memory_id = candidates.memory_id
        and candidates.valid_to is null
left join {{ ref('recall_tail') }} as tail
    on memories.memory_id = tail.memory_id
where
    candidates.memory_id is null
    and coalesce(tail.is_open, true)
