with source as (
    select * from {{ source('journal', 'ratings') }}
    where
        event_sequence not in (
            select set_aside.event_sequence
            from {{ ref('stg_journal__set_aside') }} as set_aside
            where set_aside.journal_table = 'ratings'
        )
),

renamed as (
    select
        -- ids
        event_id,
        task_id,
        memory_id,

        -- text
        actor,

        -- numerics
        event_sequence,
        rating,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
