with source as (
    select * from {{ source('journal', 'memory_changes') }}
),

renamed as (
    select
        -- ids
        event_id,
        memory_id,
        other_memory_id,

        -- text
        change,
        reason,
        detail,
        actor,

        -- numerics
        event_sequence,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
