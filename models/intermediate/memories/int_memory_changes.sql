with position as (
    select * from {{ ref('int_journal_position') }}
),

changes as (
    select * from {{ ref('stg_journal__memory_changes') }}
),

final as (
    select changes.*
    from changes
    cross join position
    where changes.event_sequence <= position.journal_position
)

select * from final
