{#-
    What the rules of forgetting would take out of recall now, and why. A
    memory that is pinned is spared, and one that came back starts anew.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=["as_of := cast(null as timestamp)"],
) }}
with moment as (
    select {{ asked_moment('as_of') }} as as_of
),

retrievals as (
    select
        canonicals.canonical_id as memory_id,
        hits.occurred_at
    from {{ ref('stg_journal__recall_hits') }} as hits
    inner join {{ ref('stg_journal__recalls') }} as recalls
        on hits.recall_id = recalls.recall_id
    inner join {{ ref('int_memory_canonicals') }} as canonicals
        on hits.memory_id = canonicals.memory_id
    where recalls.as_of is null
),

mean_ratings as (
    select
        memory_id,
        avg(rating) as mean_rating
    from {{ ref('memory_attribution') }}
    where rating is not null
    group by memory_id
),

counted as (
    select
        memories.memory_id,
        count(retrievals.occurred_at) as retrieval_count,
        max(retrievals.occurred_at) as last_retrieved_at
    from {{ ref('long_term_memory') }} as memories
    cross join moment
    left join retrievals
        on
            memories.memory_id = retrievals.memory_id
            and memories.valid_from <= retrievals.occurred_at
            and moment.as_of >= retrievals.occurred_at
    group by memories.memory_id
),

used as (
    select
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        memories.weight,
        mean_ratings.mean_rating,
        coalesce(memories.expires_at <= moment.as_of, false) as is_expired,
        counted.retrieval_count,
        {{ age_in_days(
            'greatest(memories.valid_from, memories.recorded_from,'
            ~ ' memories.last_accessed_at, counted.last_retrieved_at)',
            'moment.as_of',
        ) }} as days_unused
    from {{ ref('long_term_memory') }} as memories
    cross join moment
    inner join counted on memories.memory_id = counted.memory_id
    left join mean_ratings on memories.memory_id = mean_ratings.memory_id
    where not memories.is_pinned
),

judged as (
    select
        used.*,
        rules.rule_id,
        rules.reason,
        case
            when rules.is_expired then 'its end has come'
            else
                used.retrieval_count || ' retrievals, '
                || round(used.days_unused, 1) || ' days unused, weight '
                || round(used.weight, 3)
                || coalesce(
                    ', mean rating ' || round(used.mean_rating, 2), ''
                )
        end as explanation
    from used
    inner join {{ ref('garbage_rules') }} as rules
        on
            rules.is_enabled
            and coalesce(used.is_expired or not rules.is_expired, true)
            and coalesce(used.days_unused >= rules.min_days_unused, true)
            and coalesce(used.retrieval_count <= rules.max_retrievals, true)
            and coalesce(used.retrieval_count >= rules.min_retrievals, true)
            and (
                rules.max_mean_rating is null
                or coalesce(used.mean_rating <= rules.max_mean_rating, false)
            )
            and coalesce(used.weight <= rules.max_weight, true)
)

select
    memory_id,
    namespace,
    kind,
    content,
    rule_id,
    reason,
    explanation,
    'ebbing restore ' || memory_id || ', or stating it again'
        as brought_back_by
from judged
qualify
    row_number() over (
        partition by memory_id
        order by rule_id
    ) = 1
order by namespace, memory_id
