with source as (
    select * from {{ source('journal', 'task_starts') }}
),

renamed as (
    select
        -- ids
        event_id,
        task_id,
        session_id,

        -- text
        namespace,
        description,
        actor,

        -- numerics
        event_sequence,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
