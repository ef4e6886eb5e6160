with source as (
    select * from {{ source('journal', 'remote_cursors') }}
),

renamed as (
    select
        -- ids
        event_id,

        -- text
        remote,
        identity,
        position,

        -- numerics
        event_sequence,
        sent_through,

        -- timestamps
        recorded_at
    from source
)

select * from renamed
