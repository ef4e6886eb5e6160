{#- Where a memory came from, in one text: session, message, task, method. -#}
{% macro memory_source(session_id, message_id, task_id, method) -%}
    concat_ws(
        ' ',
        'session:' || {{ session_id }},
        'message:' || {{ message_id }},
        'task:' || {{ task_id }},
        'method:' || {{ method }}
    )
{%- endmacro %}
