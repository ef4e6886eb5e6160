{{ config(materialized='view') }}

with messages as (
    select * from {{ ref('stg_journal__messages') }}
),

final as (
    select
        message_id,
        namespace,
        session_id,
        message_seq,
        role,
        speaker,
        content,
        occurred_at,
        recorded_at
    from messages
)

select * from final
