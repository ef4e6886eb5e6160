{#-
    Each task with its score. An ended task is held against the tasks of its
    namespace that ended before it, in the order of their ends; nothing but the
    journal is read, so no two ends can overwrite each other. Open tasks have
    no score and are in no baseline.
-#}
{%- set measures = [
    'tokens_used', 'tool_calls', 'errors', 'user_corrections',
] -%}
{{ config(materialized='table') }}

-- Columns by Jinja's loops stand where a column stands.
-- noqa: disable=LT02
with starts as (
    select * from {{ ref('stg_journal__task_starts') }}
),

ends as (
    select * from {{ ref('stg_journal__task_ends') }}
),

shares as (
    select
        coalesce(
            max(case when measure = 'is_completed' then share end), 0.0
        ) as is_completed,
        {% for measure in measures -%}
        coalesce(
            max(case when measure = '{{ measure }}' then share end), 0.0
        ) as {{ measure }}{{ ',' if not loop.last }}
        {% endfor %}
    from {{ ref('task_measures') }}
),

first_starts as (
    select *
    from starts
    qualify
        row_number() over (
            partition by task_id
            order by occurred_at, event_id
        ) = 1
),

first_ends as (
    select *
    from ends
    qualify
        row_number() over (
            partition by task_id
            order by occurred_at, event_id
        ) = 1
),

tasks as (
    select
        first_starts.task_id,
        first_starts.namespace,
        first_starts.description,
        first_starts.session_id,
        first_starts.occurred_at as started_at,
        first_ends.event_id as end_event_id,
        first_ends.occurred_at as finished_at,
        {% for measure in measures -%}
        first_ends.{{ measure }},
        {% endfor -%}
        first_ends.is_completed,
        first_ends.task_id is null as is_open
    from first_starts
    left join first_ends on first_starts.task_id = first_ends.task_id
),

with_baselines as (
    select
        *,
        count(*) over earlier as earlier_task_count
        {%- for measure in measures %},
        count({{ measure }}) over earlier as {{ measure }}_count,
        coalesce(sum(cast({{ measure }} as hugeint)) over earlier, 0)
            as {{ measure }}_sum,
        coalesce(
            sum(cast({{ measure }} as hugeint) * {{ measure }}) over earlier, 0
        ) as {{ measure }}_square_sum
        {%- endfor %}
    from tasks
    where not is_open
    window earlier as (
        partition by namespace
        order by finished_at, end_event_id
        rows between unbounded preceding and 1 preceding
    )
),

measured as (
    select
        task_id,
        earlier_task_count,
        cast(case when is_completed then 1.0 else -1.0 end as double)
            as completion_score
        {%- for measure in measures %},
        {{ measure_score(
            measure,
            measure ~ '_count',
            measure ~ '_sum',
            measure ~ '_square_sum',
        ) }} as {{ measure }}_score
        {%- endfor %}
    from with_baselines
),

scored as (
    select
        measured.*,
        (
            shares.is_completed * measured.completion_score
            {%- for measure in measures %}
            + shares.{{ measure }} * measured.{{ measure }}_score
            {%- endfor %}
        ) / greatest(
            shares.is_completed
            {%- for measure in measures %}
            + shares.{{ measure }}
            {%- endfor %},
            1e-9
        ) as task_score
    from measured
    cross join shares
),

final as (
    select
        tasks.*,
        scored.earlier_task_count,
        scored.completion_score,
        {% for measure in measures -%}
        scored.{{ measure }}_score,
        {% endfor -%}
        scored.task_score
    from tasks
    left join scored on tasks.task_id = scored.task_id
)

select * from final
