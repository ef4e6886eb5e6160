{#- Every hit is of a memory that the journal knows, in a recall that it knows. -#}
select
    hits.recall_id,
    hits.memory_id
from {{ ref('stg_journal__recall_hits') }} as hits
left join {{ ref('stg_journal__recalls') }} as recalls
    on hits.recall_id = recalls.recall_id
left join {{ ref('int_memory_identities') }} as identities
    on hits.memory_id = identities.memory_id
left join {{ ref('stg_journal__memory_writes') }} as writes
    on hits.memory_id = writes.memory_id
where
    recalls.recall_id is null
    or (identities.memory_id is null and writes.memory_id is null)
