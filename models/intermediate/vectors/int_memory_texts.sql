{#- Every text that wants a vector, with those that the last run did not see. -#}
with writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

extracted as (
    select * from {{ ref('int_statements_extracted') }}
),

-- The newest of what was said; words alone find what is older.
newest_episodes as (
    select
        content_hash,
        content
    from {{ ref('int_episodes') }}
    order by occurred_at desc, message_id desc, passage_seq asc
    limit {{ var('embedded_episodes') }}
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
    union
    select
        content_hash,
        content
    from newest_episodes
)

select * from final
