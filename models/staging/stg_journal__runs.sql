with source as (
    select * from {{ source('journal', 'runs') }}
),

renamed as (
    select
        -- ids
        event_id,

        -- text
        run_kind,
        outcome,
        detail,

        -- numerics
        event_sequence,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
