{#- Every hit belongs to a namespace that its recall named. -#}
select
    hits.recall_id,
    hits.memory_id,
    memories.namespace
from {{ ref('stg_journal__recall_hits') }} as hits
inner join {{ ref('stg_journal__recalls') }} as recalls
    on hits.recall_id = recalls.recall_id
inner join {{ ref('int_memory_identities') }} as memories
    on hits.memory_id = memories.memory_id
where not list_contains(recalls.namespaces, memories.namespace)
