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
    parameters: namespaces, kinds, min_similarity, as_of, asked_from, asked_to,
    least_share.
-#}
{% macro scored_memories(queries, explains_all=false) -%}
{%- set vector_type = 'float[' ~ embedding_dimension() ~ ']' -%}
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
        -- What all questions have in common is taken off.
        case
            when tokenised.vector is not null
                then list_transform(
                        list_zip(
                            cast(tokenised.vector as float[]),
                            question_means.question_mean
                        ),
                        lambda pair: cast(pair[1] - coalesce(pair[2], 0) as float)
                    )
        end as shifted,
        len(tokenised.terms) > 0 as has_terms,
        list_filter(
            tokenised.terms,
            lambda term: not list_contains(settings.stop_words, term)
        ) as telling_terms,
        settings.background_deviation,
        -- Who draws a line of their own gets all that is above it.
        coalesce(
            cast(least_share as double),
            case
                when cast(min_similarity as double) = 0
                    then settings.least_share
            end,
            0
        ) as least_share,
        moment.as_of
    from tokenised
    left join (
        select
            script,
            -- That of the largest scope that is asked, else the store's.
            arg_max(
                question_mean,
                struct_pack(n := namespace <> '', c := text_count, s := namespace)
            ) as question_mean
        from {{ ref('recall_centres') }}
        where
            namespace = ''
            or list_contains(cast(namespaces as varchar[]), namespace)
        group by script
    ) as question_means on tokenised.script = question_means.script
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
        candidates.namespace,
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
        candidates.episode_keys,
        coalesce(
            cast(candidates.created_at as date)
            between cast(asked_from as date) and cast(asked_to as date)
            or (
                candidates.about_from <= cast(asked_to as date)
                and candidates.about_to >= cast(asked_from as date)
            ),
            false
        ) as is_in_period
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

-- What the texts of each scope and script have in common, as a question sees it.
origins as (
    select
        asked.query_id,
        any_value(sqrt(list_inner_product(asked.shifted, asked.shifted)))
            as length,
        map_from_entries(list(struct_pack(
            k := centres.namespace || ' ' || centres.script,
            v := struct_pack(
                shift := list_inner_product(centres.centre, asked.shifted),
                spread := centres.spread
            )
        ))) as by_scope
    from asked
    cross join {{ ref('recall_centres') }} as centres
    where
        centres.namespace = ''
        or list_contains(cast(namespaces as varchar[]), centres.namespace)
    group by asked.query_id
),

measured as (
    select
        asked.query_id,
        vectors.event_sequence as vector_key,
        list_cosine_similarity(vectors.vector, asked.vector) as similarity,
        list_inner_product(vectors.vector, asked.shifted) as product
    from {{ ref('stg_journal__vectors') }} as vectors
    cross join asked
    where
        asked.vector is not null
        and vectors.event_sequence in (select live.vector_key from live)
),

-- By numbers alone, for all that is in scope.
compared as materialized (
    select
        live.memory_key,
        live.span,
        asked.query_id,
        asked.has_terms,
        asked.background_deviation,
        live.is_in_period,
        measured.similarity,
        coalesce(
            origins.by_scope[live.namespace || ' ' || live.script],
            origins.by_scope[' ' || live.script]
        ) as origin,
        {{ centred_similarity(
            'measured.product',
            "struct_extract(origin, 'shift')",
            'origins.length',
            "struct_extract(origin, 'spread')",
        ) }} as centred_similarity,
        coalesce(lexical.lexical_score, 0.0) as lexical_score,
        coalesce(asked.script <> live.script, false) as is_across_scripts,
        coalesce(asked.text_key = live.text_key, false) as is_same_text
    from live
    cross join asked
    left join measured
        on
            asked.query_id = measured.query_id
            and live.vector_key = measured.vector_key
    left join origins on asked.query_id = origins.query_id
    left join lexical
        on
            asked.query_id = lexical.query_id
            and live.memory_key = lexical.memory_key
            and live.span = lexical.span
),

-- How the question stands to what is in scope, related or not.
backgrounds as (
    select
        query_id,
        count(centred_similarity) as memory_count,
        sum(centred_similarity) as total,
        sum(centred_similarity * centred_similarity) as total_of_squares
    from compared
    group by query_id
),

judged as (
    select
        compared.*,
        {{ relevance(
            'compared.centred_similarity',
            'compared.lexical_score',
            'compared.has_terms',
            'compared.is_across_scripts',
        ) }} as own_relevance,
        {{ relevance_in_period('own_relevance', 'compared.is_in_period') }}
            as relevance,
        {{ standing_out(
            'compared.centred_similarity',
            'backgrounds',
            'compared.background_deviation',
        ) }} as standing_out,
        coalesce(standing_out >= {{ var('least_standing_out') }}, false)
            as is_evident,
        compared.is_same_text
        or coalesce(compared.similarity >= 0.999999, false) as is_exact,
        coalesce(compared.similarity >= cast(min_similarity as double), true)
            as is_similar_enough,
        is_similar_enough
        and (
            is_exact
            or is_evident
            -- "Today" is said of much that nobody spoke of.
            or (
                compared.is_in_period
                and not cast({{ asked_moment('as_of') }} as date)
                between cast(asked_from as date) and cast(asked_to as date)
            )
            or own_relevance >= {{ var('min_relevance') }}
        ) as is_found
    from compared
    inner join backgrounds on compared.query_id = backgrounds.query_id
),

-- Where something was found, what is half as near is recalled beside it.
admitted as (
    select
        *,
        is_similar_enough
        and (
            is_found
            or (
                own_relevance
                >= {{ var('min_relevance') * var('beside_share') }}
                and bool_or(is_found) over (partition by query_id)
            )
        ) as is_above_threshold
    from judged
    {% if not explains_all -%}
    where
        is_found
        or own_relevance >= {{ var('min_relevance') * var('beside_share') }}
    {%- endif %}
),

thresholded as (
    select
        admitted.*,
        live.* exclude (memory_key, span, is_in_period),  -- noqa: RF02
        asked.as_of,
        asked.least_share,
        asked.telling_terms
    from admitted
    inner join live
        on admitted.memory_key = live.memory_key and admitted.span = live.span
    inner join asked on admitted.query_id = asked.query_id
    {% if not explains_all -%}
    where admitted.is_above_threshold
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
        thresholded.least_share as reach,
        thresholded.telling_terms,
        {%- if explains_all %}
        thresholded.has_terms,
        thresholded.is_across_scripts,
        thresholded.is_in_period,
        thresholded.centred_similarity,
        thresholded.standing_out,
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

{% set heard = 'case when is_above_threshold then relevance end'
    if explains_all else 'relevance' -%}
-- What was said around a memory speaks for it, and so does the name of who
-- said it; for its place alone.
placed as (
    select
        remembered.* exclude (strength),  -- noqa: RF02
        surroundings.claims,
        surroundings.said_at,
        {{ strength_at('remembered.as_of', relation='remembered') }} as strength,
        coalesce(
            case
                when surroundings.stretch is not null
                    then max({{ heard }}) over (
                            partition by
                                remembered.query_id, surroundings.stretch
                            order by surroundings.place asc
                            range between 1 preceding and 1 following
                            exclude group
                        )
            end,
            0.0
        ) as neighbour_relevance,
        greatest(
            remembered.relevance,
            case
                when surroundings.stretch is not null
                    then max({{ heard }}) over (
                            partition by
                                remembered.query_id, surroundings.stretch
                        )
            end
        ) as stretch_relevance,
        coalesce(
            list_has_any(surroundings.speaker_terms, remembered.telling_terms),
            false
        ) as is_speaker_named
    from remembered
    left join {{ ref('recall_surroundings') }} as surroundings
        on remembered.memory_key = surroundings.memory_key
),

scored as (
    select
        * exclude (telling_terms),
        {{ ranking_factor('strength', 'weight') }} as ranking_factor,
        case
            when is_exact then {{ highest_ranking_factor() }}
            else {{ relevance_in_context(
                    'relevance',
                    'neighbour_relevance',
                    'stretch_relevance',
                    'is_speaker_named',
                ) }}
                * {{ ranking_factor('strength', 'weight') }}
        end as score
    from placed
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

united as (
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

-- Of what claims one thing the last word comes first; the others were said
-- before. What says more than that one thing is not.
told as (
    select
        query_id,
        memory_key,
        span,
        score,
        said_at,
        unnest(claims) as claim
    from united
    where
        claims is not null
        {%- if explains_all %} and is_above_threshold and not is_represented{% endif %}
),

-- A value that was said before what is said last, and the best place of such.
contradicted as (
    select
        told.*,
        first_value(struct_pack(memory_key, span, said_at, told := claim.told))
            over about as newest
    from told
    window about as (
        partition by query_id, claim.about
        order by said_at desc, memory_key asc
    )
),

-- To the last word the place of the best that it contradicts; to that, a mark.
verdicts as (
    select
        query_id,
        verdict.memory_key,
        verdict.span,
        max(verdict.score) as score,
        bool_or(verdict.is_outdated) as is_outdated
    from (
        select
            query_id,
            unnest([
                struct_pack(
                    memory_key := newest.memory_key,
                    span := newest.span,
                    score := score,
                    is_outdated := false
                ),
                struct_pack(
                    memory_key := memory_key,
                    span := span,
                    score := 0.0,
                    is_outdated := claim.is_whole
                )
            ]) as verdict
        from contradicted
        where claim.told <> newest.told and said_at < newest.said_at
    ) as contradictions
    group by query_id, verdict.memory_key, verdict.span
),

dated as (
    select
        united.* exclude (score, claims, said_at),  -- noqa: RF02
        greatest(united.score, verdicts.score) as score,
        coalesce(verdicts.is_outdated, false) as is_outdated
    from united
    left join verdicts
        on
            united.query_id = verdicts.query_id
            and united.memory_key = verdicts.memory_key
            and united.span = verdicts.span
),

ranked as (
    select
        *,
        score >= reach * max(
            {{ 'case when is_above_threshold and not is_represented then score end'
                if explains_all else 'score' }}
        ) over (partition by query_id) as is_within_reach,
        row_number() over (
            partition by query_id
            order by
                {% if explains_all -%}
                is_above_threshold desc,
                is_represented asc,
                {% endif -%}
                score desc,
                is_outdated asc,
                valid_from desc,
                memory_key asc
        ) as recall_rank
    from dated
    {% if not explains_all -%}
    qualify is_within_reach
    {%- endif %}
)
{%- endmacro %}
