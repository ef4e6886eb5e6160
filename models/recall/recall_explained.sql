{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=[
        'query_vector',
        'query_text := null',
        'top_k := 5',
        "namespaces := ['default']",
        'kinds := null',
        'min_similarity := 0.0',
        'as_of := cast(null as timestamp)',
        'asked_from := cast(null as date)',
        'asked_to := cast(null as date)',
        'least_share := cast(null as double)',
    ],
) }}
{{ scored_memories(
    'select 1 as query_id, query_vector as query_vector, '
    ~ 'cast(query_text as varchar) as query_text',
    explains_all=true
) }},

-- The last memory that was recalled: what a memory had to beat.
last_recalled as (
    select *
    from ranked
    where
        is_above_threshold
        and not is_represented
        and is_within_reach
        and recall_rank <= top_k
    order by recall_rank desc
    limit 1
),

-- What the score would be with the winner's value of one factor.
supposed as (
    select
        ranked.*,
        last_recalled.memory_key as beaten_by_key,
        last_recalled.score as score_to_beat,
        {{ relevance_in_context(
            relevance_in_period(
                relevance(
                    'last_recalled.centred_similarity',
                    'ranked.lexical_score',
                    'ranked.has_terms',
                    'ranked.is_across_scripts',
                ),
                'ranked.is_in_period',
            ),
            'ranked.neighbour_relevance',
            'ranked.stretch_relevance',
            'ranked.is_speaker_named',
        ) }} * ranked.ranking_factor as score_with_its_similarity,
        {{ relevance_in_context(
            relevance_in_period(
                relevance(
                    'ranked.centred_similarity',
                    'last_recalled.lexical_score',
                    'ranked.has_terms',
                    'ranked.is_across_scripts',
                ),
                'ranked.is_in_period',
            ),
            'ranked.neighbour_relevance',
            'ranked.stretch_relevance',
            'ranked.is_speaker_named',
        ) }} * ranked.ranking_factor as score_with_its_words,
        {{ relevance_in_context(
            'ranked.relevance',
            'last_recalled.neighbour_relevance',
            'last_recalled.stretch_relevance',
            'last_recalled.is_speaker_named',
        ) }} * ranked.ranking_factor as score_with_its_context,
        {{ relevance_in_context(
            'ranked.relevance',
            'ranked.neighbour_relevance',
            'ranked.stretch_relevance',
            'ranked.is_speaker_named',
        ) }} * {{ ranking_factor(
            'last_recalled.strength', 'ranked.weight'
        ) }} as score_with_its_strength,
        {{ relevance_in_context(
            'ranked.relevance',
            'ranked.neighbour_relevance',
            'ranked.stretch_relevance',
            'ranked.is_speaker_named',
        ) }} * {{ ranking_factor(
            'ranked.strength', 'last_recalled.weight'
        ) }} as score_with_its_weight
    from ranked
    left join last_recalled on true
),

explained as (
    select
        *,
        is_above_threshold
        and not is_represented
        and is_within_reach
        and recall_rank <= top_k as is_recalled,
        case
            when
                is_above_threshold
                and not is_represented
                and is_within_reach
                and recall_rank <= top_k
                then null
            when not is_similar_enough then 'below min_similarity'
            when not is_above_threshold
                then 'below min_relevance ({{ var("min_relevance") }}), and it does not stand out'
            when is_represented then 'a memory made from it stands for it'
            when not is_within_reach then 'far below the best (least_share)'
            when is_outdated then 'something newer about the same stands before it'
            else list_reverse_sort([
                    struct_pack(
                        score := score_with_its_similarity, factor := 'similarity'
                    ),
                    struct_pack(score := score_with_its_words, factor := 'words'),
                    struct_pack(
                        score := score_with_its_context, factor := 'context'
                    ),
                    struct_pack(
                        score := score_with_its_strength, factor := 'strength'
                    ),
                    struct_pack(score := score_with_its_weight, factor := 'weight')
                ])[1].factor
        end as lost_by
    from supposed
),

shown as (
    {{ shown_memories('explained') }}
)

select
    memory_id,
    kind,
    content,
    similarity,
    lexical_score,
    strength,
    weight,
    score,
    created_at,
    last_accessed_at,
    source,
    relevance,
    centred_similarity,
    standing_out,
    neighbour_relevance,
    stretch_relevance,
    is_speaker_named,
    is_in_period,
    ranking_factor,
    is_exact,
    is_evident,
    is_similar_enough,
    is_above_threshold,
    is_within_reach,
    is_outdated,
    recall_rank,
    is_recalled,
    max(case when memory_key = beaten_by_key then memory_id end) over ()
        as beaten_by,
    score_to_beat,
    lost_by
from shown
order by recall_rank
