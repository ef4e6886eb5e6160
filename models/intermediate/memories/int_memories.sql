{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
    {{ where_changed('canonical_id') }}
),

changes as (
    select * from {{ ref('int_memory_changes') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

settled_kinds as (
    select * from {{ ref('int_memory_kinds') }}
),

kinds as (
    select * from {{ ref('memory_kinds') }}
),

methods as (
    select * from {{ ref('memory_methods') }}
),

gathered as (
    select
        canonicals.canonical_id as memory_id,
        assertions.* exclude (memory_id, importance),
        coalesce(assertions.importance, methods.importance) as importance,
        struct_pack(
            o := assertions.occurred_at, e := assertions.assertion_id
        ) as event_order
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
    left join methods on assertions.method = methods.method
),

pins as (
    select
        canonicals.canonical_id as memory_id,
        arg_max(
            changes.change = 'pin',
            struct_pack(o := changes.occurred_at, e := changes.event_id)
        ) as is_pinned
    from changes
    inner join canonicals on changes.memory_id = canonicals.memory_id
    where changes.change in ('pin', 'unpin')
    group by canonicals.canonical_id
),

summed as (
    select
        memory_id,
        min(occurred_at) as created_at,
        min(recorded_at) as recorded_at,
        max(occurred_at) as last_asserted_at,
        count(*) as assertion_count,
        count(distinct coalesce(message_id, session_id, assertion_id))
            as source_count,
        bool_or(is_pinned) as was_written_pinned,
        arg_max(importance, event_order) as importance,
        -- A later statement without an end lifts an earlier one's end.
        arg_max(
            struct_pack(at := expires_at), event_order
        ).at as expires_at,
        arg_min(struct_pack(v := actor), event_order).v as actor,
        arg_min(struct_pack(v := method), event_order).v as method,
        arg_min(struct_pack(v := session_id), event_order).v as session_id,
        arg_min(struct_pack(v := message_id), event_order).v as message_id,
        arg_min(struct_pack(v := task_id), event_order).v as task_id
    from gathered
    group by memory_id
),

final as (
    select
        identities.memory_id,
        identities.namespace,
        settled_kinds.kind,
        identities.content,
        identities.content_hash,
        summed.created_at,
        summed.recorded_at,
        summed.last_asserted_at,
        summed.assertion_count,
        summed.source_count,
        coalesce(summed.importance, kinds.importance) as importance,
        coalesce(pins.is_pinned, summed.was_written_pinned) as is_pinned,
        summed.expires_at,
        summed.actor,
        summed.method,
        summed.session_id as source_session_id,
        summed.message_id as source_message_id,
        summed.task_id as source_task_id,
        kinds.decay_model,
        kinds.decay_base,
        kinds.strength_floor,
        kinds.initial_strength,
        kinds.access_retention,
        kinds.access_boost,
        kinds.initial_stability,
        kinds.stability_growth
    from summed
    inner join identities on summed.memory_id = identities.memory_id
    inner join settled_kinds on summed.memory_id = settled_kinds.memory_id
    inner join kinds
        on
            kinds.kind = case
                when settled_kinds.kind in (select k.kind from kinds as k)
                    then settled_kinds.kind
                else 'other'
            end
    left join pins on summed.memory_id = pins.memory_id
)

select * from final
