{#-
    The kind that each memory has by now: an episode that was used or confirmed
    often enough becomes what a rule of the seed episode_promotions says.
-#}
with identities as (
    select * from {{ ref('int_memory_identities') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

uses as (
    select * from {{ ref('int_memory_uses') }}
),

ratings as (
    select * from {{ ref('stg_journal__ratings') }}
),

promotions as (
    select * from {{ ref('episode_promotions') }}
    where is_enabled
),

used as (
    select
        memory_id,
        count(*) as use_count
    from uses
    group by memory_id
),

confirmed as (
    select
        canonicals.canonical_id as memory_id,
        count(distinct ratings.task_id) as useful_ratings
    from ratings
    inner join canonicals on ratings.memory_id = canonicals.memory_id
    where ratings.rating >= 2
    group by canonicals.canonical_id
),

promoted as (
    select
        identities.memory_id,
        min(promotions.promoted_kind) as promoted_kind
    from identities
    left join used on identities.memory_id = used.memory_id
    left join confirmed on identities.memory_id = confirmed.memory_id
    inner join promotions
        on
            (
                promotions.min_uses is null
                or used.use_count >= promotions.min_uses
            )
            and (
                promotions.min_useful_ratings is null
                or confirmed.useful_ratings >= promotions.min_useful_ratings
            )
    where identities.kind = 'episode'
    group by identities.memory_id
),

final as (
    select
        identities.memory_id,
        coalesce(promoted.promoted_kind, identities.kind) as kind
    from identities
    left join promoted on identities.memory_id = promoted.memory_id
)

select * from final
