with source as (
    select * from {{ source('journal', 'recall_hits') }}
),

renamed as (
    select
        -- ids
        event_id,
        recall_id,
        memory_id,

        -- numerics
        event_sequence,
        hit_rank,
        similarity,
        lexical_score,
        strength,
        weight,
        score,

        -- timestamps
        occurred_at,
        recorded_at
    from source
)

select * from renamed
