{#- The memories that were written or restored since the last run. -#}
with tail as (
    select * from {{ ref('recall_tail') }}
),

final as (
    select memory_id
    from tail
    where is_open
)

select * from final
