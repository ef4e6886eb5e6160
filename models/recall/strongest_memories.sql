{#-
    What a session may begin with, before anything is asked: the live memories
    of a scope that are worth most at an instant, episodes apart, with a share
    for each part of the seed `opening_shares`. The columns are those of
    `recall` and the position; nothing was compared, so similarity is null and
    lexical_score 0. Weights go to 2, and a score to 1.
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

-- As many of each kind as could ever be given, before texts are looked at.
strongest as (
    select
        *,
        strength_now * weight / 2.0 as score
    from live
    qualify
        row_number() over (
            partition by kind
            order by
                strength_now * weight desc,
                valid_from desc,
                memory_id asc
        ) <= 10 * top_k
),

parted as (
    select
        strongest.*,
        shares.part,
        shares.share,
        shares.is_first
    from strongest
    inner join {{ ref('opening_shares') }} as shares
        on
            regexp_full_match(strongest.kind, shares.kind_pattern)
            and regexp_matches(strongest.content, shares.content_pattern)
    qualify
        row_number() over (
            partition by strongest.memory_id
            order by shares.sequence
        ) = 1
),

placed as (
    select
        *,
        row_number() over (
            partition by part
            order by
                score desc,
                valid_from desc,
                memory_id asc
        ) as place
    from parted
),

-- Of any beginning each part has about its share, the best of each before the
-- second of any. What is first is so up to its share of all.
positioned as (
    select
        *,
        row_number() over (
            order by
                is_first and place <= ceil(share * top_k) desc,
                (place - 1) / share asc,
                score desc,
                memory_id asc
        ) as position
    from placed
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
        score,
        created_at,
        last_accessed_at,
        source,
        false as is_outdated,
        position
    from positioned
    where position <= top_k
)

select * from final
order by position
