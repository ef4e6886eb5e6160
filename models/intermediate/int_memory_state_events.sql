{#-
    What opened and closed each memory, one row an event. A memory is live
    from an opening until the next closing. Stating a text opens it, and
    closes its rivals: the texts that it is an update of.
-#}
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
),

stated as (
    select
        canonicals.canonical_id as memory_id,
        assertions.assertion_id as event_id,
        assertions.memory_id as stated_memory_id,
        assertions.actor,
        assertions.occurred_at,
        assertions.recorded_at
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
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

displacements as (
    select
        rivals.memory_id,
        stated.event_id,
        false as is_opening,
        'superseded' as reason,
        rivals.explanation,
        stated.memory_id as superseded_by,
        stated.actor,
        stated.occurred_at,
        stated.recorded_at
    from stated
    inner join rivals on stated.memory_id = rivals.rival_id
    where
        rivals.corrected_at is null
        or stated.recorded_at > rivals.corrected_at
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

final as (
    select * from openings
    union all
    select * from displacements
    union all
    select * from asked
)

select * from final
