{#- Every text that wants a vector, with those that the last run did not see. -#}
with writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

extracted as (
    select * from {{ ref('int_statements_extracted') }}
),

final as (
    select
        content_hash,
        content
    from writes
    union
    select
        content_hash,
        content
    from extracted
)

select * from final
