{#-
    What the journal says of memories beyond the last run: the newest state of
    each one that was written, corrected, forgotten or restored since.
-#}
with last_position as (
    select coalesce(max(journal_position), 0) as journal_position
    from {{ ref('recall_index') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

changes as (
    select * from {{ ref('stg_journal__memory_changes') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

new_events as (
    select
        writes.memory_id,
        writes.event_id,
        writes.event_sequence,
        true as is_written,
        true as is_opening,
        writes.occurred_at,
        writes.recorded_at
    from writes
    cross join last_position
    where writes.event_sequence > last_position.journal_position
    union all
    select
        changes.memory_id,
        changes.event_id,
        changes.event_sequence,
        false as is_written,
        changes.change = 'restore' as is_opening,
        changes.occurred_at,
        changes.recorded_at
    from changes
    cross join last_position
    where
        changes.event_sequence > last_position.journal_position
        and changes.change in ('forget', 'restore', 'supersede')
),

-- Who forgets a memory whose date is still to come means that one too.
ordered as (
    select
        new_events.* exclude (memory_id),
        coalesce(canonicals.canonical_id, new_events.memory_id) as memory_id,
        case
            when new_events.is_written then new_events.occurred_at
            else max(new_events.occurred_at) over (
                    partition by
                        coalesce(canonicals.canonical_id, new_events.memory_id)
                    order by new_events.event_sequence
                )
        end as ordered_at
    from new_events
    left join canonicals on new_events.memory_id = canonicals.memory_id
),

final as (
    select
        memory_id,
        max(
            struct_pack(
                ordered_at := ordered_at,
                event_id := event_id,
                is_opening := is_opening,
                occurred_at := least(occurred_at, recorded_at)
            )
        ) as last_event
    from ordered
    group by memory_id
)

select
    memory_id,
    last_event.is_opening as is_open,
    last_event.occurred_at as occurred_at
from final
