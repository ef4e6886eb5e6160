{#- Every question that was asked, and the moment that it was about. -#}
with recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

final as (
    select
        recall_id,
        namespaces,
        kinds,
        query_text,
        query_vector,
        top_k,
        min_similarity,
        occurred_at,
        coalesce(as_of, occurred_at) as moment
    from recalls
)

select * from final
