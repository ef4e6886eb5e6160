with source as (
    select * from {{ source('journal', 'task_ends') }}
),

renamed as (
    select
        -- ids
        event_id,
        task_id,

        -- text
        actor,

        -- numerics
        event_sequence,
        tokens_used,
        tool_calls,
        errors,
        user_corrections,
        is_completed,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
