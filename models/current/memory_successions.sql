{#- Which memory took the place of which, with what the last run did not see. -#}
with history as (
    select * from {{ ref('memory_history') }}
),

changes as (
    select * from {{ ref('stg_journal__memory_changes') }}
),

successions as (
    select
        memory_id,
        superseded_by,
        valid_to as superseded_at
    from history
    where superseded_by is not null
    union all
    select
        memory_id,
        other_memory_id as superseded_by,
        occurred_at as superseded_at
    from changes
    where change = 'supersede'
),

final as (
    select
        memory_id,
        superseded_by,
        max(superseded_at) as superseded_at
    from successions
    group by memory_id, superseded_by
)

select * from final
