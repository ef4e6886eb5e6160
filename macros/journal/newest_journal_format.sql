{#- The number of the newest journal_format_N in this project. -#}
{% macro newest_journal_format() %}
    {%- set newest = namespace(number=0) -%}
    {%- for number in range(1, 1000) if 'journal_format_' ~ number in context -%}
        {%- set newest.number = number -%}
    {%- endfor -%}
    {{- return(newest.number) -}}
{% endmacro %}
