with source as (
    select * from {{ source('journal', 'embeddings') }}
    where
        event_sequence not in (
            select set_aside.event_sequence
            from {{ ref('stg_journal__set_aside') }} as set_aside
            where set_aside.journal_table = 'embeddings'
        )
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
