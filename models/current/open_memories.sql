{#- The memories that nothing has closed, whether their end has come or not. -#}
with candidates as (
    select * from {{ ref('recall_candidates') }}
),

final as (
    select
        memory_id,
        namespace,
        kind,
        content,
        created_at,
        valid_from,
        expires_at,
        source
    from candidates
    where valid_to is null
)

select * from final
