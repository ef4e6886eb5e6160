with source as (
    select * from {{ source('journal', 'ratings') }}
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
