{#- Every task that the journal knows: how it was begun first, and how it ended first. -#}
{% macro journal_tasks() -%}
select
    starts.task_id,
    starts.namespace,
    starts.description,
    starts.session_id,
    starts.occurred_at as started_at,
    ends.event_id as end_event_id,
    ends.occurred_at as finished_at,
    ends.tokens_used,
    ends.tool_calls,
    ends.errors,
    ends.user_corrections,
    ends.is_completed,
    ends.task_id is null as is_open
from (
    select *
    from {{ ref('stg_journal__task_starts') }}
    qualify
        row_number() over (
            partition by task_id
            order by occurred_at, event_id
        ) = 1
) as starts
left join (
    select *
    from {{ ref('stg_journal__task_ends') }}
    qualify
        row_number() over (
            partition by task_id
            order by occurred_at, event_id
        ) = 1
) as ends on starts.task_id = ends.task_id
{%- endmacro %}
