{#- No use ever takes a strength out of [floor, 1]. -#}
select
    states.memory_id,
    states.strength_before,
    states.strength_after
from {{ ref('int_strength_states') }} as states
inner join {{ ref('int_memories') }} as memories
    on states.memory_id = memories.memory_id
where
    not states.strength_before between memories.strength_floor and 1.0
    or not states.strength_after between memories.strength_floor and 1.0
