with source as (
    select * from {{ source('journal', 'messages') }}
    where
        event_sequence not in (
            select set_aside.event_sequence
            from {{ ref('stg_journal__set_aside') }} as set_aside
            where set_aside.journal_table = 'messages'
        )
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
        speaker,
        content,
        source,

        -- numerics
        event_sequence,
        message_seq,

        -- booleans
        coalesce(is_dated, true) as is_dated,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
