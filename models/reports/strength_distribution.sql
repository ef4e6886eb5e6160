{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=["as_of := cast(null as timestamp)"],
) }}
with moment as (
    select {{ asked_moment('as_of') }} as as_of
),

strengths as (
    select {{ strength_at('moment.as_of', relation='memories') }} as strength
    from {{ ref('long_term_memory') }} as memories
    cross join moment
),

buckets as (
    select range / 10.0 as bucket_from
    from range(10)
),

counted as (
    select
        buckets.bucket_from,
        buckets.bucket_from + 0.1 as bucket_to,
        count(strengths.strength) as memory_count
    from buckets
    left join strengths
        on least(floor(strengths.strength * 10 + 1e-9), 9) / 10.0
            = buckets.bucket_from
    group by buckets.bucket_from
)

select * from counted
order by bucket_from
