with source as (
    select * from {{ source('builds', 'last_build') }}
),

renamed as (
    select
        -- text
        settings_fingerprint,

        -- numerics
        build_number,
        journal_position
    from source
)

select * from renamed
