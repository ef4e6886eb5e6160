{#-
    One row for each span in which a memory was live, with all that recall
    needs of it but its vector, which stays in the journal, and its terms.
    Spans that ended stay, for a look into the past. A date in the future
    neither hides what is written nor keeps what is closed. By namespace, so
    that a small one is read in few blocks.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_changed'},
) }}
{%- set active = active_embedding_model_row() %}

with versions as (
    select * from {{ ref('int_memory_versions') }}
    {{ where_changed('memory_id') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

strengths as (
    select * from {{ ref('int_memory_strengths') }}
),

weights as (
    select * from {{ ref('int_memory_weights') }}
),

spans as (
    select
        memory_id,
        version as span,
        {{ memory_key('memory_id') }} as memory_key,
        least(valid_from, recorded_from) as valid_from,
        case
            when recorded_to >= least(valid_from, recorded_from)
                then least(valid_to, recorded_to)
            else valid_to
        end as valid_to
    from versions
),

vectors as (
    select
        content_hash,
        min(event_sequence) as vector_key
    from {{ ref('stg_journal__embeddings') }}
    where
        model_id
        = '{{ active.model_id | replace("'", "''") if active else '' }}'  -- noqa: LT05
    group by content_hash
),

text_lengths as (
    select
        memory_key,
        any_value(term_count) as term_count
    from {{ ref('recall_terms') }}
    where memory_key in (select spans.memory_key from spans)
    group by memory_key
),

-- What was said where a memory comes from: one of the two is shown.
spoken as (
    select
        told.canonical_id as memory_id,
        list(distinct {{ memory_key('episodes.memory_id') }}) as episode_keys
    from (
        select distinct
            canonicals.canonical_id,
            assertions.message_id
        from {{ ref('int_memory_assertions') }} as assertions
        inner join {{ ref('int_memory_canonicals') }} as canonicals
            on assertions.memory_id = canonicals.memory_id
        where
            assertions.kind <> 'episode'
            and canonicals.canonical_id in (select spans.memory_id from spans)
    ) as told
    inner join {{ ref('int_episodes') }} as episodes
        on told.message_id = episodes.message_id
    where told.canonical_id <> episodes.memory_id
    group by told.canonical_id
),

final as (
    select
        spans.memory_key,
        spans.span,
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        spans.valid_from,
        spans.valid_to,
        memories.expires_at,
        memories.created_at,
        strengths.last_used_at as last_accessed_at,
        strengths.strength,
        strengths.strengthened_at,
        strengths.stability,
        memories.decay_model,
        memories.decay_base,
        memories.strength_floor,
        weights.weight,
        memories.initial_strength,
        memories.initial_stability,
        text_lengths.term_count,
        {{ script_of('memories.content') }} as script,
        {{ memory_source(
            'memories.source_session_id',
            'memories.source_message_id',
            'memories.source_task_id',
            'memories.method',
        ) }} as source,
        {{ text_key('memories.content') }} as text_key,
        vectors.vector_key,
        spoken.episode_keys,
        list_min({{ days_named('memories.content') }}) as about_from,
        list_max({{ days_named('memories.content') }}) as about_to
    from spans
    inner join memories on spans.memory_id = memories.memory_id
    inner join strengths on spans.memory_id = strengths.memory_id
    inner join weights on spans.memory_id = weights.memory_id
    left join text_lengths on spans.memory_key = text_lengths.memory_key
    left join vectors on memories.content_hash = vectors.content_hash
    left join spoken on spans.memory_id = spoken.memory_id
)

select * from final
order by
    namespace asc,
    valid_from asc,
    memory_id asc
