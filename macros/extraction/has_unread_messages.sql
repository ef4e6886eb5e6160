{#- Whether any message was not read yet under these rules; asked while dbt compiles. -#}
{% macro has_unread_messages(read_relation, messages_relation, fingerprint) %}
    {%- if not execute -%}{{- return(true) -}}{%- endif -%}
    {%- set found = run_query(
        unread_messages(read_relation, messages_relation, fingerprint) ~ ' limit 1'
    ) -%}
    {{- return(found.rows | length > 0) -}}
{% endmacro %}
