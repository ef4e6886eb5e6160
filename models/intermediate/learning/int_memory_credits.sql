{#-
    What each task says of each memory that was recalled in it. A rating speaks
    for itself, whatever is rated beside it and however the task went. Without
    one, a memory has a share in the task's outcome by its relevance to what
    was asked: a softmax, without strength and weight, which would feed back.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='task_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_tasks_changed'},
) }}
-- depends_on: {{ ref('int_tasks_changed') }}

with tasks as (
    select * from {{ ref('int_tasks_scored') }}
    {{ where_changed('task_id') }}
),

last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

ratings as (
    select * from {{ ref('stg_journal__ratings') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

embedding_settings as (
    select * from {{ ref('embedding_models') }}
),

rating_credits as (
    select * from {{ ref('rating_credits') }}
),

recalled_hits as (
    select
        canonicals.canonical_id as memory_id,
        tasks.task_id,
        hits.recall_id,
        hits.hit_rank,
        hits.similarity,
        hits.occurred_at as recalled_at,
        -- A look into the past can be rated; it has no part in the outcome.
        case
            when recalls.as_of is null
                then {{ relevance(
                    normalised_similarity(
                        'hits.similarity',
                        model_line(
                            'unrelated',
                            'recalls.query_text',
                            'identities.content',
                        ),
                    ),
                    'coalesce(hits.lexical_score, 0.0)',
                    '(recalls.query_text is not null)',
                ) }}
        end as relevance
    from hits
    inner join recalls on hits.recall_id = recalls.recall_id
    inner join tasks on recalls.task_id = tasks.task_id
    inner join canonicals on hits.memory_id = canonicals.memory_id
    left join identities on hits.memory_id = identities.memory_id
    left join embedding_settings as own on recalls.model_id = own.model_id
    inner join embedding_settings as fallback on fallback.model_id = '*'
    where tasks.is_open or recalls.occurred_at <= tasks.finished_at
),

recalled as (
    select
        memory_id,
        task_id,
        max(similarity) as similarity,
        min(hit_rank) as rank,
        count(distinct recall_id) as recall_count,
        min(recalled_at) as first_recalled_at,
        max(relevance) as relevance
    from recalled_hits
    group by memory_id, task_id
),

softened as (
    select
        *,
        coalesce(
            exp(
                (relevance - max(relevance) over (partition by task_id))
                / {{ var('share_temperature') }}
            ),
            0.0
        ) as share_part
    from recalled
),

-- Added up in one order, so that the sum is the same to the last bit.
share_totals as (
    select
        task_id,
        sum(share_part order by share_part) as share_total
    from softened
    group by task_id
),

last_ratings as (
    select
        canonicals.canonical_id as memory_id,
        ratings.task_id,
        ratings.rating
    from ratings
    inner join canonicals on ratings.memory_id = canonicals.memory_id
    {{ where_changed('ratings.task_id') }}
    qualify
        row_number() over (
            partition by canonicals.canonical_id, ratings.task_id
            order by ratings.occurred_at desc, ratings.event_id desc
        ) = 1
),

attributed as (
    select
        softened.memory_id,
        softened.task_id,
        tasks.namespace,
        tasks.end_event_id,
        tasks.finished_at,
        tasks.task_score,
        softened.similarity,
        softened.rank,
        softened.recall_count,
        softened.first_recalled_at,
        last_ratings.rating,
        rating_credits.credit as rating_credit,
        coalesce(
            softened.share_part / nullif(share_totals.share_total, 0.0), 0.0
        ) as share
    from softened
    inner join share_totals on softened.task_id = share_totals.task_id
    inner join tasks on softened.task_id = tasks.task_id
    left join last_ratings
        on
            softened.memory_id = last_ratings.memory_id
            and softened.task_id = last_ratings.task_id
    left join rating_credits on last_ratings.rating = rating_credits.rating
),

credited as (
    select
        * exclude (rating_credit),
        case
            when task_score is not null
                then coalesce(rating_credit, task_score * share)
        end as credit,
        -- What a weight would settle at if every task said the same.
        case
            when task_score is not null
                then 1.0 + least(
                        1.0, greatest(-1.0, coalesce(rating_credit, task_score))
                    )
        end as target_weight,
        case
            when task_score is null then null
            when rating_credit is not null then {{ var('rating_rate') }}
            else {{ var('inference_rate') }} * share
        end as learning_rate
    from attributed
),

{% if is_incremental() -%}
-- A credit that came out as before says nothing new of its memory.
as_before as (
    select
        memory_id,
        task_id
    from (
        select * from credited
        intersect
        select * exclude (changed_in_build) from {{ this }}
    ) as same_rows
),
{%- endif %}

final as (
    select
        credited.*,
        {% if is_incremental() -%}
        coalesce(known.changed_in_build, last_build.build_number + 1)
        {%- else -%}
        last_build.build_number + 1
        {%- endif %} as changed_in_build
    from credited
    {% if is_incremental() -%}
    left join as_before
        on
            credited.memory_id = as_before.memory_id
            and credited.task_id = as_before.task_id
    left join {{ this }} as known
        on
            as_before.memory_id = known.memory_id
            and as_before.task_id = known.task_id
    {%- endif %}
    cross join last_build
)

select * from final
