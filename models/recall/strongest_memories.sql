{#-
    What a session may begin with, before anything is asked: the live memories
    of a scope that are worth most at an instant, episodes apart. The columns are those of
    `recall`; nothing was compared, so similarity is null and lexical_score 0.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=[
        'top_k := 20',
        "namespaces := ['default']",
        'as_of := cast(null as timestamp)',
    ],
) }}
with moment as (
    select {{ asked_moment('as_of') }} as as_of
),

-- Fails closed: without a namespace nothing is in scope.
scope as (
    select unnest(cast(namespaces as varchar[])) as namespace
),

live as (
    select
        candidates.*,
        {{ strength_at('moment.as_of', relation='candidates') }}
            as strength_now
    from {{ ref('recall_candidates') }} as candidates
    cross join moment
    where
        candidates.namespace in (
            select scope.namespace
            from scope
            where scope.namespace <> ''
        )
        and candidates.kind <> 'episode'
        and candidates.valid_from <= moment.as_of
        and (candidates.valid_to is null or candidates.valid_to > moment.as_of)
        and (
            candidates.expires_at is null
            or candidates.expires_at > moment.as_of
        )
),

final as (
    select
        memory_id,
        kind,
        content,
        cast(null as double) as similarity,
        cast(0.0 as double) as lexical_score,
        strength_now as strength,
        weight,
        strength_now * weight as score,
        created_at,
        last_accessed_at,
        source,
        false as is_outdated
    from live
    qualify
        row_number() over (
            order by
                strength_now * weight desc,
                valid_from desc,
                memory_id asc
        ) <= top_k
)

select * from final
order by score desc, created_at desc, memory_id asc
