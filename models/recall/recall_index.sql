{#-
    One row for each span in which a memory was live, with all that recall
    needs of it. Spans that ended stay, for a look into the past. A date in the
    future neither hides what is written nor keeps what is closed.
-#}
{{ config(materialized='table') }}

with versions as (
    select * from {{ ref('int_memory_versions') }}
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

vectors as (
    select * from {{ ref('int_memory_vectors') }}
),

terms as (
    select * from {{ ref('int_memory_terms') }}
),

text_lengths as (
    select
        memory_id,
        any_value(term_count) as term_count
    from terms
    group by memory_id
),

position as (
    select * from {{ ref('int_journal_position') }}
),

final as (
    select
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        least(versions.valid_from, versions.recorded_from) as valid_from,
        case
            when
                versions.recorded_to
                >= least(versions.valid_from, versions.recorded_from)
                then least(versions.valid_to, versions.recorded_to)
            else versions.valid_to
        end as valid_to,
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
        vectors.vector,
        position.journal_position
    from versions
    inner join memories on versions.memory_id = memories.memory_id
    inner join strengths on versions.memory_id = strengths.memory_id
    inner join weights on versions.memory_id = weights.memory_id
    left join text_lengths on versions.memory_id = text_lengths.memory_id
    left join vectors on versions.memory_id = vectors.memory_id
    cross join position
)

select * from final
