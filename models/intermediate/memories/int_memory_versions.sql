{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with state_events as (
    select * from {{ ref('int_memory_state_events') }}
    {{ where_changed('memory_id') }}
),

ordered as (
    select
        *,
        lag(is_opening, 1, false) over (
            partition by memory_id
            order by occurred_at, event_id
        ) as was_open
    from state_events
),

toggles as (
    select *
    from ordered
    where is_opening <> was_open
),

paired as (
    select
        memory_id,
        is_opening,
        event_id as opened_by_event_id,
        reason as opened_because,
        occurred_at as valid_from,
        recorded_at as recorded_from,
        lead(event_id) over later as closed_by_event_id,
        lead(occurred_at) over later as valid_to,
        lead(recorded_at) over later as recorded_to,
        lead(reason) over later as closed_because,
        lead(explanation) over later as explanation,
        lead(superseded_by) over later as superseded_by,
        lead(actor) over later as closed_by
    from toggles
    window later as (
        partition by memory_id
        order by valid_from, opened_by_event_id
    )
),

final as (
    select
        * exclude (is_opening),
        row_number() over (
            partition by memory_id
            order by valid_from, opened_by_event_id
        ) as version
    from paired
    where is_opening
)

select * from final
