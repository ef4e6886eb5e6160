with source as (
    select * from {{ source('journal', 'embeddings') }}
),

renamed as (
    select
        -- ids
        event_id,
        content_hash,
        model_id,

        -- text
        vector,
        note,

        -- numerics
        event_sequence,

        -- timestamps
        recorded_at
    from source
)

select * from renamed
