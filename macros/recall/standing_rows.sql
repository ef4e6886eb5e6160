{#-
    A select of texts as rows that stand in the tail, each as the index would
    hold it: with the settings of its kind, its terms, and what was said where
    it comes from, so that of the two one is shown.

    texts: a relation with memory_id, namespace, kind, content, valid_from,
           expires_at, created_at, strengthened_at, method, session_id,
           message_id, task_id and vector_key
    said:  relations with memory_key, kind and source, in which episodes are;
           none where the texts are episodes themselves
-#}
{% macro standing_rows(texts, said) -%}
{%- set kinds = ref('memory_kinds') -%}
    select
        texts.memory_id,
        texts.namespace,
        texts.kind,
        texts.content,
        texts.valid_from,
        texts.expires_at,
        texts.created_at,
        cast(null as timestamp) as last_accessed_at,
        kinds.initial_strength as strength,
        texts.strengthened_at,
        kinds.initial_stability as stability,
        kinds.decay_model,
        kinds.decay_base,
        kinds.strength_floor,
        {{ prior_weight('texts.method') }} as weight,
        kinds.initial_strength,
        kinds.initial_stability,
        text_terms.term_count,
        {{ script_of('texts.content') }} as script,
        {{ memory_source(
            'texts.session_id',
            'texts.message_id',
            'texts.task_id',
            'texts.method',
        ) }} as source,
        {{ text_key('texts.content') }} as text_key,
        texts.vector_key,
        text_terms.terms,
        {{ 'spoken.episode_keys' if said else 'cast(null as ubigint[])' }} as episode_keys,
        list_min({{ days_named('texts.content') }}) as about_from,
        list_max({{ days_named('texts.content') }}) as about_to
    from {{ texts }} as texts
    inner join {{ kinds }} as kinds
        on
            kinds.kind = case
                when texts.kind in (select k.kind from {{ kinds }} as k)
                    then texts.kind
                else 'other'
            end
    left join (  -- noqa: ST05
        select
            memory_key,
            any_value(term_count) as term_count,
            list(struct_pack(term_key, term_frequency)) as terms
        from ({{ counted_terms(texts, 'created_at') }}) as counted
        group by memory_key
    ) as text_terms
        on {{ memory_key('texts.memory_id') }} = text_terms.memory_key
    {% if said -%}
    left join (  -- noqa: ST05
        select
            told.memory_id,
            list(distinct episodes.memory_key) as episode_keys
        from {{ texts }} as told
        inner join {{ ref('stg_journal__messages') }} as messages
            on told.message_id = messages.message_id
        inner join (
            {%- for relation in said %}
            select memory_key, source
            from {{ relation }}
            where kind = 'episode'
            {%- if not loop.last %}
            union all
            {%- endif %}
            {%- endfor %}
        ) as episodes
            on
                episodes.source = {{ memory_source(
                    'messages.session_id',
                    'messages.message_id',
                    'cast(null as varchar)',
                    "'logged'",
                ) }}
        where told.kind <> 'episode'
        group by told.memory_id
    ) as spoken on texts.memory_id = spoken.memory_id
    {%- endif %}
{%- endmacro %}
