{#- Whether a query has a row; asked while dbt compiles, so that nothing is planned for nothing. -#}
{% macro has_rows(query) %}
    {%- if not execute -%}{{- return(true) -}}{%- endif -%}
    {{- return(run_query('select 1 from (' ~ query ~ ') as asked limit 1').rows | length > 0) -}}
{% endmacro %}
