{#-
    The common table expressions behind `recall`, `recall_many` and
    `recall_explained`, ending in `ranked`: every memory in scope and live at
    `as_of`, scored for every query, with each factor of the score.

    Without `explains_all`, `ranked` holds only what is above the thresholds.
    `queries` is a select of query_id, query_vector (anything that casts to the
    store's array) and query_text. The other names are the table functions'
    parameters: namespaces, kinds, min_similarity, as_of.
-#}
{% macro scored_memories(queries, explains_all=false) -%}
{%- set active = active_embedding_model_row() -%}
{%- set vector_type = 'float[' ~ embedding_dimension() ~ ']' -%}
with queries as (
    {{ queries }}
),

embedding_settings as (
    select *
    from {{ ref('embedding_models') }}
    where model_id in ('{{ active.model_id if active else '*' }}', '*')
    order by model_id = '*'
    limit 1
),

-- One row: when is now, and what the model's cosines mean.
moment as (
    select
        {{ asked_moment('as_of') }} as as_of,
        embedding_settings.unrelated_similarity,
        embedding_settings.unrelated_han_similarity,
        embedding_settings.evident_similarity,
        embedding_settings.evident_han_similarity
    from embedding_settings
),

-- Fails closed: without a namespace nothing is in scope.
scope as (
    select unnest(cast(namespaces as varchar[])) as namespace
),

live as (
    select candidates.*
    from {{ ref('recall_candidates') }} as candidates
    cross join moment
    where
        candidates.namespace in (
            select scope.namespace
            from scope
            where scope.namespace <> ''
        )
        and (
            cast(kinds as varchar[]) is null
            or list_contains(cast(kinds as varchar[]), candidates.kind)
        )
        and candidates.valid_from <= moment.as_of
        and (candidates.valid_to is null or candidates.valid_to > moment.as_of)
        and (
            candidates.expires_at is null
            or candidates.expires_at > moment.as_of
        )
),

asked_terms as (
    select
        query_id,
        unnest(list_distinct({{ tokenise_query('query_text') }})) as term
    from queries
),

-- Stop words are looked up only where a query has nothing else.
query_terms as (
    select
        asked_terms.query_id,
        asked_terms.term
    from asked_terms
    left join {{ ref('stop_words') }} as stop_words
        on asked_terms.term = stop_words.word
    qualify
        stop_words.word is null
        or count(*) filter (where stop_words.word is null) over (
            partition by asked_terms.query_id
        ) = 0
),

matches as (
    select
        query_terms.query_id,
        terms.term,
        terms.memory_id,
        terms.term_frequency,
        terms.term_count
    from {{ ref('recall_terms') }} as terms
    inner join query_terms on terms.term = query_terms.term
    inner join (select distinct live.memory_id from live) as in_scope
        on terms.memory_id = in_scope.memory_id
),

collection as (
    select
        count(*) as memory_count,
        avg(live.term_count) as average_term_count
    from live
),

term_weights as (
    select
        query_terms.query_id,
        query_terms.term,
        {{ inverse_document_frequency(
            'any_value(collection.memory_count)', 'count(matches.memory_id)'
        ) }} as term_weight
    from query_terms
    cross join collection
    left join matches
        on
            query_terms.query_id = matches.query_id
            and query_terms.term = matches.term
    group by query_terms.query_id, query_terms.term
),

query_weights as (
    select
        query_id,
        sum(term_weight) as query_weight
    from term_weights
    group by query_id
),

lexical as (
    select
        matches.query_id,
        matches.memory_id,
        sum(
            term_weights.term_weight * {{ term_saturation(
                'matches.term_frequency',
                'matches.term_count',
                'collection.average_term_count',
            ) }}
        ) / any_value(query_weights.query_weight) as lexical_score
    from matches
    inner join term_weights
        on
            matches.query_id = term_weights.query_id
            and matches.term = term_weights.term
    inner join query_weights on matches.query_id = query_weights.query_id
    cross join collection
    group by matches.query_id, matches.memory_id
),

-- A look into the past: the last state before as_of, else the first one.
past_states as (
    select
        live.memory_id,
        live.valid_from,
        coalesce(
            arg_max(states.strength_after, (states.used_at, states.event_id)),
            any_value(live.initial_strength)
        ) as strength,
        coalesce(
            arg_max(states.stability_after, (states.used_at, states.event_id)),
            any_value(live.initial_stability)
        ) as stability,
        greatest(
            max(states.used_at), any_value(live.created_at)
        ) as strengthened_at
    from live
    cross join moment
    left join {{ ref('int_strength_states') }} as states
        on
            live.memory_id = states.memory_id
            and states.used_at <= moment.as_of
    where live.strengthened_at > moment.as_of
    group by live.memory_id, live.valid_from
),

compared as (
    select
        queries.query_id,
        live.memory_id,
        live.kind,
        live.content,
        live.created_at,
        live.last_accessed_at,
        live.valid_from,
        live.source,
        live.weight,
        live.decay_model,
        live.decay_base,
        live.strength_floor,
        coalesce(past_states.strength, live.strength) as strength,
        coalesce(past_states.stability, live.stability) as stability,
        coalesce(past_states.strengthened_at, live.strengthened_at)
            as strengthened_at,
        array_cosine_similarity(
            live.vector, cast(queries.query_vector as {{ vector_type }})
        ) as similarity,
        coalesce(lexical.lexical_score, 0.0) as lexical_score,
        query_weights.query_id is not null as has_terms,
        {{ script_of('queries.query_text') }} = 'han'
        and live.script = 'han' as is_han_pair,
        coalesce(
            lower(trim(queries.query_text)) = lower(live.content), false
        ) as is_same_text
    from live
    cross join queries
    left join query_weights on queries.query_id = query_weights.query_id
    left join lexical
        on
            queries.query_id = lexical.query_id
            and live.memory_id = lexical.memory_id
    left join past_states
        on
            live.memory_id = past_states.memory_id
            and live.valid_from = past_states.valid_from
),

judged as (
    select
        compared.* exclude (strength),
        case
            when compared.is_han_pair then moment.unrelated_han_similarity
            else moment.unrelated_similarity
        end as unrelated_similarity,
        {{ strength_at('moment.as_of', relation='compared') }} as strength,
        {{ relevance(
            'compared.similarity',
            'compared.lexical_score',
            'compared.has_terms',
            'unrelated_similarity',
        ) }} as relevance,
        coalesce(
            compared.similarity >= case
                when compared.is_han_pair then moment.evident_han_similarity
                else moment.evident_similarity
            end,
            false
        ) as is_evident,
        compared.is_same_text
        or coalesce(compared.similarity >= 0.999999, false) as is_exact,
        coalesce(compared.similarity >= cast(min_similarity as double), true)
            as is_similar_enough
    from compared
    cross join moment
),

scored as (
    select
        *,
        {{ ranking_factor('strength', 'weight') }} as ranking_factor,
        case
            when is_exact then {{ highest_ranking_factor() }}
            else relevance * {{ ranking_factor('strength', 'weight') }}
        end as score
    from judged
),

thresholded as (
    select
        *,
        is_similar_enough
        and (is_exact or is_evident or relevance >= {{ var('min_relevance') }})
            as is_above_threshold
    from scored
),

-- Only what could be recalled is sorted, unless all of it is to be explained.
ranked as (
    select
        *,
        row_number() over (
            partition by query_id
            order by
                is_above_threshold desc,
                score desc,
                valid_from desc,
                memory_id asc
        ) as recall_rank
    from thresholded
    {% if not explains_all -%}
    where is_above_threshold
    {%- endif %}
)
{%- endmacro %}
