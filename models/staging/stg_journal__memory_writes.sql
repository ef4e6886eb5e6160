with source as (
    select * from {{ source('journal', 'memory_writes') }}
    where
        event_sequence not in (
            select set_aside.event_sequence
            from {{ ref('stg_journal__set_aside') }} as set_aside
            where set_aside.journal_table = 'memory_writes'
        )
),

renamed as (
    select
        -- ids
        event_id,
        memory_id,
        content_hash,
        model_id,
        session_id,
        message_id,
        task_id,

        -- text
        namespace,
        kind,
        content,
        actor,
        method,
        metadata,

        -- numerics
        event_sequence,
        importance,
        is_pinned,

        -- timestamps
        expires_at,
        occurred_at,
        recorded_at
    from source
)

select * from renamed
