with source as (
    select * from {{ source('journal', 'messages') }}
),

renamed as (
    select
        -- ids
        event_id,
        message_id,
        session_id,

        -- text
        namespace,
        role,
        content,
        source,

        -- numerics
        event_sequence,
        message_seq,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
