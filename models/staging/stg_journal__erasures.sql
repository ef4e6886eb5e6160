with source as (
    select * from {{ source('journal', 'erasures') }}
),

renamed as (
    select
        -- ids
        event_id,
        erasure_id,

        -- text
        namespace,
        content_hash,
        memory_id_hash,

        -- numerics
        event_sequence,

        -- timestamps
        recorded_at
    from source
)

select * from renamed
