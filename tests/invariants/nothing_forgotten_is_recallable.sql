{#-
    What left recall is not among the candidates of now, unless the journal has
    brought it back since.
-#}
select forgotten.memory_id
from {{ ref('forgotten_memories') }} as forgotten
inner join {{ ref('recall_candidates') }} as candidates
    on forgotten.memory_id = candidates.memory_id
left join {{ ref('recall_tail') }} as tail
    on forgotten.memory_id = tail.memory_id
where
    candidates.valid_to is null
    and not coalesce(tail.is_open, false)
