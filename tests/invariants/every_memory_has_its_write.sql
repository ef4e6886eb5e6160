{#- Nothing is remembered that nobody stated or said. -#}
select memories.memory_id
from {{ ref('memory_history') }} as memories
left join {{ ref('stg_journal__memory_writes') }} as writes
    on memories.memory_id = writes.memory_id
left join {{ ref('int_statements_extracted') }} as statements
    on memories.memory_id = statements.memory_id
left join {{ ref('int_episodes') }} as episodes
    on memories.memory_id = episodes.memory_id
where
    writes.memory_id is null
    and statements.memory_id is null
    and episodes.memory_id is null
