{#-
    What each logged hit would score under the settings of today, in nine
    decimals: the arithmetic of recall on its own, where it can be read and
    tested, as a table function cannot.
-#}
{{ config(materialized='ephemeral') }}

with hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

embedding_settings as (
    select * from {{ ref('embedding_models') }}
),

joined as (
    select
        hits.event_id,
        hits.recall_id,
        hits.memory_id,
        hits.similarity,
        hits.strength,
        hits.weight,
        coalesce(hits.lexical_score, 0.0) as lexical_score,
        recalls.query_text is not null as has_terms,
        {{ model_line(
            'unrelated', 'recalls.query_text', 'identities.content'
        ) }} as unrelated_similarity
    from hits
    inner join recalls on hits.recall_id = recalls.recall_id
    inner join identities on hits.memory_id = identities.memory_id
    left join embedding_settings as own on recalls.model_id = own.model_id
    inner join embedding_settings as fallback on fallback.model_id = '*'
),

judged as (
    select
        *,
        {{ relevance(
            normalised_similarity('similarity', 'unrelated_similarity'),
            'lexical_score',
            'has_terms',
        ) }} as relevance,
        {{ ranking_factor('strength', 'weight') }} as ranking_factor,
        {{ highest_ranking_factor() }} as highest_factor
    from joined
),

final as (
    select
        event_id,
        recall_id,
        memory_id,
        round(cast(relevance as double), 9) as relevance,
        round(cast(ranking_factor as double), 9) as ranking_factor,
        round(
            cast(
                case
                    when coalesce(similarity >= 0.999999, false)
                        then highest_factor
                    else relevance * ranking_factor
                end
                as double
            ),
            9
        ) as score
    from judged
)

select * from final
