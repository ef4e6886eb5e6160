{#- The number of a month: 'November', 'nov'. Null for any other word. -#}
{% macro month_number(word) %}
    {{- return(adapter.dispatch('month_number', 'ebbing')(word)) -}}
{% endmacro %}

{% macro default__month_number(word) -%}
nullif(list_position(
    ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
    lower(left({{ word }}, 3))
), 0)
{%- endmacro %}
