{#-
    A select of what was said in messages behind event `after`, as rows of the
    tail: words find it before a run makes episodes of it. What the index or
    the tail knows already, whatever became of it, is left to them.
-#}
{% macro tail_episodes(after) -%}
{%- set new_messages -%}
    (
        select *
        from {{ ref('stg_journal__messages') }}
        where
            event_sequence > {{ after }}
            and list_contains([{{ quoted(var('episode_roles')) }}], role)
    )
{%- endset -%}
with passages as (
    {{ message_passages(new_messages ~ ' as new_messages', episode_exclusions()) }}
),

said as (
    select
        {{ memory_id_of('messages.namespace', 'passages.content') }}
            as memory_id,
        messages.namespace,
        passages.content,
        messages.occurred_at,
        messages.recorded_at,
        messages.event_sequence,
        messages.session_id,
        messages.message_id
    from passages
    inner join {{ new_messages }} as messages
        on passages.message_id = messages.message_id
    qualify
        row_number() over (
            partition by messages.namespace, passages.content
            order by messages.occurred_at, messages.event_sequence
        ) = 1
),

new_episodes as (
    select said.*
    from said
    where
        not exists (
            select 1
            from {{ ref('recall_index') }} as index_spans
            where index_spans.memory_id = said.memory_id
        )
        and not exists (
            select 1
            from {{ ref('recall_tail') }} as told
            where told.memory_id = said.memory_id
        )
),

counted as (
    {{ counted_terms('new_episodes', 'occurred_at') }}
),

text_terms as (
    select
        memory_key,
        any_value(term_count) as term_count,
        list(struct_pack(term_key, term_frequency)) as terms
    from counted
    group by memory_key
)

select
    {{ memory_key('new_episodes.memory_id') }} as memory_key,
    -new_episodes.event_sequence as span,
    new_episodes.memory_id,
    true as is_open,
    least(new_episodes.occurred_at, new_episodes.recorded_at) as happened_at,
    true as is_standing,
    new_episodes.namespace,
    kinds.kind,
    new_episodes.content,
    least(new_episodes.occurred_at, new_episodes.recorded_at) as valid_from,
    cast(null as timestamp) as expires_at,
    new_episodes.occurred_at as created_at,
    cast(null as timestamp) as last_accessed_at,
    kinds.initial_strength as strength,
    new_episodes.occurred_at as strengthened_at,
    kinds.initial_stability as stability,
    kinds.decay_model,
    kinds.decay_base,
    kinds.strength_floor,
    {{ prior_weight("'logged'") }} as weight,
    kinds.initial_strength,
    kinds.initial_stability,
    text_terms.term_count,
    {{ script_of('new_episodes.content') }} as script,
    {{ memory_source(
        'new_episodes.session_id',
        'new_episodes.message_id',
        'cast(null as varchar)',
        "'logged'",
    ) }} as source,
    {{ text_key('new_episodes.content') }} as text_key,
    cast(null as bigint) as vector_key,
    text_terms.terms
from new_episodes
left join text_terms
    on {{ memory_key('new_episodes.memory_id') }} = text_terms.memory_key
inner join {{ ref('memory_kinds') }} as kinds on kinds.kind = 'episode'
{%- endmacro %}
