{#-
    The common table expressions behind `recall`, `recall_many` and
    `recall_explained`, ending in `ranked`: every memory in scope and live at
    `as_of`, scored for every query, with each factor of the score.

    What is passed on are keys and numbers: a cosine is taken where the vector
    is read, strength where a memory is near enough, and the text is looked up
    by `shown_memories` for what is shown. Nothing is named twice that is worked
    out where it is named, since planning is most of what a small store costs.

    Without `explains_all`, `ranked` holds only what is above the thresholds.
    `queries` is a select of query_id, query_vector (anything that casts to the
    store's array) and query_text. The other names are the table functions'
    parameters: namespaces, kinds, min_similarity, as_of.
-#}
{% macro scored_memories(queries, explains_all=false) -%}
{%- set vector_type = 'float[' ~ embedding_dimension() ~ ']' -%}
{#- Where nothing is below the threshold, nothing can be left out early. -#}
{%- set is_whole = explains_all or var('min_relevance') <= 0 -%}
with queries as (
    {{ queries }}
),

moment as (
    select {{ asked_moment('as_of') }} as as_of
),

tokenised as (
    select
        queries.query_id,
        list_distinct({{ tokenise_query('queries.query_text') }}) as terms,
        cast(queries.query_vector as {{ vector_type }}) as vector,
        {{ text_key('queries.query_text') }} as text_key,
        {{ script_of('queries.query_text') }} as script
    from queries
),

asked as (
    select
        tokenised.query_id,
        tokenised.terms,
        tokenised.text_key,
        tokenised.script,
        -- A null array would become a list of nulls.
        case
            when tokenised.vector is not null
                then cast(tokenised.vector as float[])
        end as vector,
        len(tokenised.terms) > 0 as has_terms,
        list_filter(
            tokenised.terms,
            lambda term: not list_contains(settings.stop_words, term)
        ) as telling_terms,
        settings.unrelated_similarity,
        settings.unrelated_han_similarity,
        settings.evident_similarity,
        settings.evident_han_similarity,
        moment.as_of
    from tokenised
    cross join {{ ref('recall_settings') }} as settings
    cross join moment
),

-- Stop words count only where a query has nothing else.
query_terms as (
    select
        query_id,
        {{ term_key(
            'unnest(case when len(telling_terms) > 0'
            ~ ' then telling_terms else terms end)'
        ) }} as term_key
    from asked
),

-- Fails closed: without a namespace nothing is in scope. The conditions are one
-- to the planner, which would take five for a sieve that leaves next to nothing.
live as materialized (
    select
        candidates.memory_key,
        candidates.span,
        candidates.index_row,
        candidates.tail_row,
        candidates.terms_span,
        candidates.vector_key,
        candidates.text_key,
        candidates.term_count,
        candidates.script,
        candidates.valid_from,
        candidates.created_at,
        candidates.strength,
        candidates.strengthened_at,
        candidates.stability,
        candidates.decay_model,
        candidates.decay_base,
        candidates.strength_floor,
        candidates.weight,
        candidates.initial_strength,
        candidates.initial_stability,
        candidates.episode_keys
    from {{ ref('recall_candidates') }} as candidates
    cross join moment
    where
        coalesce(
            candidates.namespace <> ''
            and list_contains(
                cast(namespaces as varchar[]), candidates.namespace
            )
            and (
                cast(kinds as varchar[]) is null
                or list_contains(cast(kinds as varchar[]), candidates.kind)
            )
            and candidates.valid_from <= moment.as_of
            and (
                candidates.valid_to is null
                or candidates.valid_to > moment.as_of
            )
            and (
                candidates.expires_at is null
                or candidates.expires_at > moment.as_of
            ),
            false
        )
),

postings as (
    select
        memory_key,
        0 as terms_span,
        term_key,
        term_frequency
    from {{ ref('recall_terms') }}
    union all
    select
        memory_key,
        span as terms_span,
        unnest(list_transform(terms, lambda posting: posting.term_key)) as term_key,
        unnest(list_transform(terms, lambda posting: posting.term_frequency))
            as term_frequency
    from {{ ref('recall_tail') }}
),

matches as materialized (
    select
        query_terms.query_id,
        query_terms.term_key,
        live.memory_key,
        live.span,
        live.vector_key,
        live.term_count,
        postings.term_frequency
    from postings
    inner join query_terms on postings.term_key = query_terms.term_key
    inner join live
        on
            postings.memory_key = live.memory_key
            and postings.terms_span = live.terms_span
),

collection as (
    select
        count(*) as memory_count,
        avg(term_count) as average_term_count
    from live
),

term_weights as (
    select
        query_terms.query_id,
        query_terms.term_key,
        any_value(collection.average_term_count) as average_term_count,
        {{ inverse_document_frequency(
            'any_value(collection.memory_count)', 'count(matches.memory_key)'
        ) }} as term_weight
    from query_terms
    cross join collection
    left join matches
        on
            query_terms.query_id = matches.query_id
            and query_terms.term_key = matches.term_key
    group by query_terms.query_id, query_terms.term_key
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
        matches.memory_key,
        matches.span,
        any_value(matches.vector_key) as vector_key,
        sum(
            term_weights.term_weight * {{ term_saturation(
                'matches.term_frequency',
                'matches.term_count',
                'term_weights.average_term_count',
            ) }}
        ) / any_value(query_weights.query_weight) as lexical_score
    from matches
    inner join term_weights
        on
            matches.query_id = term_weights.query_id
            and matches.term_key = term_weights.term_key
    inner join query_weights on matches.query_id = query_weights.query_id
    group by matches.query_id, matches.memory_key, matches.span
),

{% if not is_whole -%}
-- These are compared whatever their cosine: words or the text itself speak.
told as (
    select vector_key from lexical
    union all
    select live.vector_key
    from live
    inner join asked on live.text_key = asked.text_key
),
{%- endif %}

measured as (
    select
        asked.query_id,
        embeddings.event_sequence as vector_key,
        list_cosine_similarity(embeddings.vector, asked.vector) as similarity,
        asked.has_terms,
        least(asked.unrelated_similarity, asked.unrelated_han_similarity)
            as unrelated_similarity,
        least(asked.evident_similarity, asked.evident_han_similarity)
            as evident_similarity
    from {{ ref('stg_journal__embeddings') }} as embeddings
    cross join asked
    where
        asked.vector is not null
        and embeddings.event_sequence in (select live.vector_key from live)
),

near as (
    select
        query_id,
        vector_key,
        similarity
    from measured
    {% if not is_whole -%}
    where
        similarity >= evident_similarity
        or {{ relevance(
            'similarity', '0.0', 'has_terms', 'unrelated_similarity'
        ) }} >= {{ var('min_relevance') }}
        or vector_key in (select told.vector_key from told)
    {%- endif %}
),

compared as (
    select
        live.*,
        asked.query_id,
        asked.as_of,
        near.similarity,
        coalesce(lexical.lexical_score, 0.0) as lexical_score,
        asked.has_terms,
        coalesce(asked.text_key = live.text_key, false) as is_same_text,
        case
            when asked.script = 'han' and live.script = 'han'
                then asked.unrelated_han_similarity
            else asked.unrelated_similarity
        end as unrelated_similarity,
        case
            when asked.script = 'han' and live.script = 'han'
                then asked.evident_han_similarity
            else asked.evident_similarity
        end as evident_similarity
    from live
    cross join asked
    left join near
        on
            asked.query_id = near.query_id
            and live.vector_key = near.vector_key
    left join lexical
        on
            asked.query_id = lexical.query_id
            and live.memory_key = lexical.memory_key
            and live.span = lexical.span
    {% if not is_whole -%}
    where
        near.vector_key is not null
        or lexical.memory_key is not null
        or asked.text_key = live.text_key
    {%- endif %}
),

judged as (
    select
        *,
        {{ relevance(
            'similarity', 'lexical_score', 'has_terms', 'unrelated_similarity'
        ) }} as relevance,
        coalesce(similarity >= evident_similarity, false) as is_evident,
        is_same_text or coalesce(similarity >= 0.999999, false) as is_exact,
        coalesce(similarity >= cast(min_similarity as double), true)
            as is_similar_enough
    from compared
),

thresholded as (
    select
        *,
        is_similar_enough
        and (is_exact or is_evident or relevance >= {{ var('min_relevance') }})
            as is_above_threshold
    from judged
    {% if not explains_all -%}
    where is_above_threshold
    {%- endif %}
),

-- A look into the past: the last state before as_of, else the first one.
past_states as (
    select
        thresholded.memory_key,
        arg_max(
            struct_pack(
                strength := states.strength_after,
                stability := states.stability_after,
                strengthened_at := states.used_at
            ),
            struct_pack(used_at := states.used_at, event_id := states.event_id)
        ) as past
    from thresholded
    inner join {{ ref('int_strength_states') }} as states
        on thresholded.memory_key = states.memory_key
    where
        thresholded.strengthened_at > thresholded.as_of
        and states.used_at <= thresholded.as_of
    group by thresholded.memory_key
),

remembered as (
    select
        thresholded.memory_key,
        thresholded.span,
        thresholded.index_row,
        thresholded.tail_row,
        thresholded.query_id,
        thresholded.as_of,
        thresholded.valid_from,
        thresholded.created_at,
        thresholded.weight,
        thresholded.similarity,
        thresholded.lexical_score,
        thresholded.relevance,
        thresholded.is_exact,
        thresholded.episode_keys,
        {%- if explains_all %}
        thresholded.has_terms,
        thresholded.unrelated_similarity,
        thresholded.is_evident,
        thresholded.is_similar_enough,
        thresholded.is_above_threshold,
        {%- endif %}
        thresholded.decay_model,
        thresholded.decay_base,
        thresholded.strength_floor,
        {% for column in ['strength', 'stability'] -%}
        case
            when thresholded.strengthened_at <= thresholded.as_of
                then thresholded.{{ column }}
            else coalesce(
                    past_states.past.{{ column }},
                    thresholded.initial_{{ column }}
                )
        end as {{ column }},
        {% endfor -%}
        case
            when thresholded.strengthened_at <= thresholded.as_of
                then thresholded.strengthened_at
            else greatest(
                    past_states.past.strengthened_at, thresholded.created_at
                )
        end as strengthened_at
    from thresholded
    left join past_states on thresholded.memory_key = past_states.memory_key
),

strengthened as (
    select
        * exclude (strength),
        {{ strength_at('as_of', relation='remembered') }} as strength
    from remembered
),

scored as (
    select
        *,
        {{ ranking_factor('strength', 'weight') }} as ranking_factor,
        case
            when is_exact then {{ highest_ranking_factor() }}
            else relevance * {{ ranking_factor('strength', 'weight') }}
        end as score
    from strengthened
),

-- A memory and what was said where it comes from are one result: the memory,
-- as high as the better of the two. Of several from one message, the best is.
tellers as (
    select
        query_id,
        memory_key,
        span,
        score,
        unnest(episode_keys) as episode_key
    from scored
    where
        episode_keys is not null
        {%- if explains_all %} and is_above_threshold{% endif %}
),

represented as (
    select
        query_id,
        episode_key,
        arg_max(
            struct_pack(memory_key, span), struct_pack(score, memory_key)
        ) as teller
    from tellers
    group by query_id, episode_key
),

lifted as (
    select
        represented.query_id,
        represented.teller,
        max(scored.score) as score
    from represented
    inner join scored
        on
            represented.query_id = scored.query_id
            and represented.episode_key = scored.memory_key
    group by represented.query_id, represented.teller
),

placed as (
    select
        scored.* exclude (score, episode_keys),  -- noqa: RF02
        greatest(scored.score, lifted.score) as score,
        represented.episode_key is not null as is_represented
    from scored
    left join lifted
        on
            scored.query_id = lifted.query_id
            and scored.memory_key = lifted.teller.memory_key
            and scored.span = lifted.teller.span
    left join represented
        on
            scored.query_id = represented.query_id
            and scored.memory_key = represented.episode_key
    {% if not explains_all -%}
    where represented.episode_key is null
    {%- endif %}
),

ranked as (
    select
        *,
        row_number() over (
            partition by query_id
            order by
                {% if explains_all -%}
                is_above_threshold desc,
                is_represented asc,
                {% endif -%}
                score desc,
                valid_from desc,
                memory_key asc
        ) as recall_rank
    from placed
)
{%- endmacro %}
