{#- Whether any message was not read yet under these rules; asked while dbt compiles. -#}
{% macro has_unread_messages(read_relation, messages_relation, fingerprint) %}
    {%- if not execute -%}{{- return(true) -}}{%- endif -%}
    {%- set found = run_query(
        'select 1 from ' ~ messages_relation ~ " where role = 'user'"
        ~ ' and message_id not in (select message_id from ' ~ read_relation
        ~ " where rules_fingerprint = '" ~ fingerprint ~ "') limit 1"
    ) -%}
    {{- return(found.rows | length > 0) -}}
{% endmacro %}
