{#-
    Every text that ever was a memory, with those that the last run did not
    see, and the memory that it counts as by now.
-#}
with identities as (
    select * from {{ ref('int_memory_identities') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

newly_written as (
    select
        memory_id,
        namespace,
        content,
        arg_max(kind, struct_pack(o := occurred_at, e := event_id)) as kind
    from writes
    where memory_id not in (select identities.memory_id from identities)
    group by memory_id, namespace, content
),

-- What was said since; a run makes episodes of it.
newly_said as (
    select
        memory_id,
        namespace,
        content,
        kind
    from {{ ref('recall_tail') }}
    where
        kind = 'episode'
        and memory_id not in (select identities.memory_id from identities)
        and memory_id not in (select newly_written.memory_id from newly_written)
),

known as (
    select
        memory_id,
        namespace,
        content,
        kind
    from identities
    union all
    select
        memory_id,
        namespace,
        content,
        kind
    from newly_written
    union all
    select
        memory_id,
        namespace,
        content,
        kind
    from newly_said
),

final as (
    select
        known.memory_id,
        coalesce(canonicals.canonical_id, known.memory_id) as canonical_id,
        known.namespace,
        known.kind,
        known.content
    from known
    left join canonicals on known.memory_id = canonicals.memory_id
)

select * from final
