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

new_texts as (
    select
        memory_id,
        namespace,
        'episode' as kind,
        content,
        least(occurred_at, recorded_at) as valid_from,
        cast(null as timestamp) as expires_at,
        occurred_at as created_at,
        occurred_at as strengthened_at,
        'logged' as method,
        session_id,
        message_id,
        cast(null as varchar) as task_id,
        cast(null as bigint) as vector_key,
        event_sequence
    from new_episodes
),

standing as (
    {{ standing_rows('new_texts', []) }}
)

select
    {{ memory_key('new_texts.memory_id') }} as memory_key,
    -new_texts.event_sequence as span,
    new_texts.memory_id,
    true as is_open,
    standing.valid_from as happened_at,
    true as is_standing,
    standing.* exclude (memory_id)  -- noqa: RF02
from new_texts
inner join standing on new_texts.memory_id = standing.memory_id
{%- endmacro %}
