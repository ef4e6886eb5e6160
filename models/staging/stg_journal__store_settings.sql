with source as (
    select * from {{ source('journal', 'store_settings') }}
),

renamed as (
    select
        -- ids
        event_id,

        -- text
        setting,
        setting_value,

        -- numerics
        event_sequence,

        -- timestamps
        recorded_at
    from source
)

select * from renamed
