{#- The enabled rows of the seed episode_exclusions; empty until it is loaded. -#}
{% macro episode_exclusions() %}
    {%- set statement -%}
        select
            pattern_id,
            pattern
        from {seed}
        where is_enabled
        order by pattern_id
    {%- endset -%}
    {{- return(loaded_seed_rows('episode_exclusions', statement)) -}}
{% endmacro %}
