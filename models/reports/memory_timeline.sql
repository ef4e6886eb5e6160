{#-
    Every event that made a memory what it is, in order, with what it did to
    strength and weight and the place in the log that it came from.
-#}
{{ config(materialized='view', schema='main', access='public') }}

with memories as (
    select * from {{ ref('int_memories') }}
),

sources as (
    select * from {{ ref('memory_sources') }}
),

versions as (
    select * from {{ ref('int_memory_versions') }}
),

strength_states as (
    select * from {{ ref('int_strength_states') }}
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

weight_steps as (
    select * from {{ ref('int_weight_steps') }}
),

statements as (
    select
        sources.memory_id,
        sources.occurred_at,
        sources.assertion_id as event_id,
        case
            when strength_states.event_id is null then 'stated'
            else 'stated again'
        end as event,
        sources.method || ' by ' || sources.actor || ': '
        || sources.stated_content as detail,
        coalesce(strength_states.strength_before, memories.initial_strength)
            as strength_before,
        coalesce(strength_states.strength_after, memories.initial_strength)
            as strength_after,
        cast(null as double) as weight_before,
        cast(null as double) as weight_after,
        {{ memory_source(
            'sources.session_id',
            'sources.message_id',
            'sources.task_id',
            'sources.method',
        ) }} as source
    from sources
    inner join memories on sources.memory_id = memories.memory_id
    left join strength_states
        on
            sources.memory_id = strength_states.memory_id
            and sources.assertion_id = strength_states.event_id
),

accesses as (
    select
        strength_states.memory_id,
        strength_states.used_at as occurred_at,
        strength_states.event_id,
        'recalled' as event,
        'rank ' || hits.hit_rank || ' for: '
        || coalesce(recalls.query_text, 'a vector')
        || ', similarity ' || coalesce(cast(round(hits.similarity, 3) as varchar), '-')
            as detail,
        strength_states.strength_before,
        strength_states.strength_after,
        cast(null as double) as weight_before,
        cast(null as double) as weight_after,
        concat_ws(
            ' ', 'recall:' || recalls.recall_id, 'session:' || recalls.session_id
        ) as source
    from strength_states
    inner join hits on strength_states.event_id = hits.event_id
    inner join recalls on hits.recall_id = recalls.recall_id
),

restorations as (
    select
        memory_id,
        valid_from as occurred_at,
        opened_by_event_id as event_id,
        opened_because as event,
        'live again' as detail,
        cast(null as double) as strength_before,
        cast(null as double) as strength_after,
        cast(null as double) as weight_before,
        cast(null as double) as weight_after,
        'journal:' || opened_by_event_id as source
    from versions
    where opened_because = 'restored'
),

endings as (
    select
        memory_id,
        valid_to as occurred_at,
        closed_by_event_id as event_id,
        case
            when superseded_by is null then 'forgotten' else 'superseded'
        end as event,
        concat_ws(
            ', ', closed_because, explanation, 'by ' || superseded_by,
            'by ' || closed_by
        ) as detail,
        cast(null as double) as strength_before,
        cast(null as double) as strength_after,
        cast(null as double) as weight_before,
        cast(null as double) as weight_after,
        'journal:' || closed_by_event_id as source
    from versions
    where valid_to is not null
),

credits as (
    select
        memory_id,
        weighed_at as occurred_at,
        event_id,
        'credited' as event,
        case
            when rating is not null then 'rated ' || rating || ' of 3'
            else 'share ' || round(share, 3)
        end || ' in task ' || task_id || ', credit ' || round(credit, 3)
            as detail,
        cast(null as double) as strength_before,
        cast(null as double) as strength_after,
        weight_before,
        weight_after,
        'task:' || task_id as source
    from weight_steps
),

final as (
    select * from statements
    union all
    select * from accesses
    union all
    select * from restorations
    union all
    select * from endings
    union all
    select * from credits
)

select * from final
order by memory_id, occurred_at, event_id
