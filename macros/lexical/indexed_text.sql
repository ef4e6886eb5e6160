{#-
    What the lexical index holds of a memory: its text and its date in words,
    so that "in May 2023" finds what was said then. The vector is of the text alone.
-#}
{% macro indexed_text(content, occurred_at) -%}
    {{ return(adapter.dispatch('indexed_text', 'ebbing')(content, occurred_at)) }}
{%- endmacro %}

{% macro default__indexed_text(content, occurred_at) -%}
    {{ content }} || ' ' || to_char({{ occurred_at }}, 'FMDD FMMonth YYYY')
{%- endmacro %}

{#- DuckDB formats by strftime. -#}
{% macro duckdb__indexed_text(content, occurred_at) -%}
    {{ content }} || ' ' || strftime({{ occurred_at }}, '%-d %B %Y')
{%- endmacro %}
