{#-
    The rows of a statement over a seed in the schema `settings`, at compile time.
    The relation is named outright and not by ref(): in a unit test, ref() is a
    fixture that no query can read.
-#}
{% macro loaded_seed_rows(seed_name, statement) %}
    {%- if not execute -%}
        {{- return([]) -}}
    {%- endif -%}
    {%- set relation = adapter.get_relation(
        database=target.database,
        schema=generate_schema_name('settings', none),
        identifier=seed_name
    ) -%}
    {%- if relation is none -%}
        {{- return([]) -}}
    {%- endif -%}
    {{- return(run_query(statement | replace('{seed}', relation | string)).rows) -}}
{% endmacro %}
