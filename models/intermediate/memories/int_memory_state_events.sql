{#-
    What opened and closed each memory, one row an event. A memory is live
    from an opening until the next closing. Stating a text opens it, and
    closes its rivals: the texts that it is an update of.
-#}
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
),

changes as (
    select * from {{ ref('int_memory_changes') }}
),

rivals as (
    select * from {{ ref('int_memory_rivals') }}
    {{ where_changed('memory_id') }}
),

-- What closes a memory is stated of another one.
told as (
    select
        memory_id,
        canonical_id
    from canonicals
    {{ where_changed('canonical_id') }}
    union
    select
        memory_id,
        canonical_id
    from canonicals
    where canonical_id in (select rivals.rival_id from rivals)
),

held as (
    select * from {{ ref('int_statements_held') }}
),

stated as (
    select
        told.canonical_id as memory_id,
        assertions.assertion_id as event_id,
        assertions.memory_id as stated_memory_id,
        assertions.actor,
        assertions.occurred_at,
        assertions.recorded_at
    from assertions
    inner join told on assertions.memory_id = told.memory_id
),

openings as (
    select
        memory_id,
        event_id,
        true as is_opening,
        'stated' as reason,
        cast(null as varchar) as explanation,
        cast(null as varchar) as superseded_by,
        actor,
        occurred_at,
        recorded_at
    from stated
),

-- What came back against a correction is history at once.
held_back as (
    select
        stated.memory_id,
        stated.event_id,
        false as is_opening,
        'superseded' as reason,
        'held back, since it was corrected: '
        || coalesce(held.reason, 'corrected') as explanation,
        held.kept_id as superseded_by,
        stated.actor,
        stated.occurred_at + interval 1 microsecond as occurred_at,
        stated.recorded_at
    from stated
    inner join held
        on
            stated.event_id = held.event_id
            and stated.memory_id = held.memory_id
),

-- Who forgets a memory whose date is still to come means that one too.
asked_after as (
    select
        changes.event_id,
        max(stated.occurred_at) + interval 1 microsecond as occurred_at
    from changes
    inner join canonicals on changes.memory_id = canonicals.memory_id
    inner join stated
        on
            canonicals.canonical_id = stated.memory_id
            and changes.recorded_at >= stated.recorded_at
    where stated.occurred_at >= changes.occurred_at
    group by changes.event_id
),

asked as (
    select
        canonicals.canonical_id as memory_id,
        changes.event_id,
        changes.change = 'restore' as is_opening,
        case changes.change
            when 'restore' then 'restored'
            when 'supersede' then 'superseded'
            else coalesce(changes.reason, 'asked for')
        end as reason,
        case
            when changes.change = 'forget' then changes.detail
            else coalesce(changes.detail, changes.reason)
        end as explanation,
        successors.canonical_id as superseded_by,
        changes.actor,
        coalesce(asked_after.occurred_at, changes.occurred_at) as occurred_at,
        changes.recorded_at
    from changes
    inner join canonicals on changes.memory_id = canonicals.memory_id
    left join canonicals as successors
        on changes.other_memory_id = successors.memory_id
    left join asked_after on changes.event_id = asked_after.event_id
    where changes.change in ('forget', 'restore', 'supersede')
),

-- A correction that gave a reason has its own.
displacements as (
    select
        rivals.memory_id,
        stated.event_id,
        false as is_opening,
        'superseded' as reason,
        coalesce(
            nullif(asked.explanation, 'corrected'), rivals.explanation
        ) as explanation,
        stated.memory_id as superseded_by,
        stated.actor,
        stated.occurred_at,
        stated.recorded_at
    from stated
    inner join rivals on stated.memory_id = rivals.rival_id
    left join asked
        on
            rivals.memory_id = asked.memory_id
            and stated.memory_id = asked.superseded_by
            and stated.occurred_at = asked.occurred_at
    where
        (
            rivals.corrected_at is null
            or stated.recorded_at > rivals.corrected_at
        )
        and stated.event_id not in (select held.event_id from held)
),

all_events as (
    select * from openings
    union all
    select * from displacements
    union all
    select * from held_back
    union all
    select * from asked
),

final as (
    select * from all_events
    {{ where_changed('memory_id') }}
)

select * from final
