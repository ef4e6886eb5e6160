with source as (
    select * from {{ source('journal', 'recalls') }}
),

renamed as (
    select
        -- ids
        event_id,
        recall_id,
        model_id,
        session_id,
        task_id,

        -- text
        namespaces,
        kinds,
        query_text,
        query_vector,
        actor,

        -- numerics
        event_sequence,
        top_k,
        min_similarity,

        -- timestamps
        as_of,
        occurred_at,
        recorded_at
    from source
)

select * from renamed
