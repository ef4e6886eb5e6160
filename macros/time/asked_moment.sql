{#-
    The moment that a table function is asked about, in UTC; null is now.
    Its parameter's default must be a typed null, as DuckDB evaluates a default
    of now() once, when the function is made, and keeps that moment.
-#}
{% macro asked_moment(expression) -%}
    coalesce(
        {{ utc_timestamp(expression) }},
        {{ utc_timestamp('now()') }}
    )
{%- endmacro %}
