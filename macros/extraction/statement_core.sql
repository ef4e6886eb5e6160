{#- A statement without the marks around it, as the rules read it. -#}
{% macro statement_core(statement) %}
    {{- return(adapter.dispatch('statement_core', 'ebbing')(statement)) -}}
{% endmacro %}

{% macro default__statement_core(statement) -%}
trim(regexp_replace({{ statement }}, '[\s.。!！;；,，:：…~～]+$', ''))
{%- endmacro %}
