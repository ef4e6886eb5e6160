with source as (
    select * from {{ source('journal', 'embedding_models') }}
),

renamed as (
    select
        -- ids
        event_id,
        model_id,

        -- text
        model_name,
        query_mode,

        -- numerics
        event_sequence,
        dimension,

        -- timestamps
        recorded_at
    from source
)

select * from renamed
