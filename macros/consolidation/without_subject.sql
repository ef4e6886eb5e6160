{#- A statement without the user at its head, who is meant if nobody is named. -#}
{% macro without_subject(statement) -%}
    regexp_replace({{ statement }}, '^(@user )+', '')
{%- endmacro %}
