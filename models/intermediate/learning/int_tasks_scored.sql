{#-
    Each task with its score. An ended task is held against the tasks of its
    namespace that ended before it, in the order of their ends; nothing but the
    journal is read, so no two ends can overwrite each other. Open tasks have
    no score and are in no baseline.
-#}
{%- set measures = [
    'tokens_used', 'tool_calls', 'errors', 'user_corrections',
] -%}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='task_id',
    on_schema_change='fail',
) }}
-- depends_on: {{ ref('int_settings') }}

-- Columns by Jinja's loops stand where a column stands.
-- noqa: disable=LT02
with last_build as (
    select * from {{ ref('stg_builds__last_build') }}
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

tasks as (
    {{ journal_tasks() | indent(4) }}
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

all_tasks as (
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
),

-- A late end moves the baselines of those after it: all are worked out, and
-- those that come out otherwise are written.
changed as (
    select * from all_tasks
    {% if is_incremental() -%}
    except
    select * exclude (changed_in_build) from {{ this }}
    {%- endif %}
),

final as (
    select
        changed.*,
        last_build.build_number + 1 as changed_in_build
    from changed
    cross join last_build
)

select * from final
