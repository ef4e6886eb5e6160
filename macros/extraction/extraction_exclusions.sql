{#-
    The exclusions of the seed extraction_exclusions, as a list of rows; empty
    until the seed is loaded.
-#}
{% macro extraction_exclusions() %}
    {%- set statement -%}
        select
            pattern_id,
            applies_to,
            pattern
        from {seed}
        order by pattern_id
    {%- endset -%}
    {{- return(loaded_seed_rows('extraction_exclusions', statement)) -}}
{% endmacro %}
