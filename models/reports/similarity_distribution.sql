{#- How close the answers of logged recalls were: look here before choosing a threshold. -#}
{{ config(materialized='view', schema='main', access='public') }}

with hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
    where similarity is not null
),

buckets as (
    select (range - 20) / 20.0 as bucket_from
    from range(40)
),

final as (
    select
        buckets.bucket_from,
        buckets.bucket_from + 0.05 as bucket_to,
        count(hits.similarity) as hit_count
    from buckets
    left join hits
        on least(floor(hits.similarity * 20 + 1e-9), 19) / 20.0
            = buckets.bucket_from
    group by buckets.bucket_from
)

select * from final
order by bucket_from
