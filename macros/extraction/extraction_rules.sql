{#-
    The enabled rules of the seed extraction_rules, best priority first, as a
    list of rows with their rank; empty until the seed is loaded. Read while the
    model is compiled, for extracted_statements writes them into its query.
-#}
{% macro extraction_rules() %}
    {%- set statement -%}
        select
            rule_id,
            kind,
            pattern,
            template,
            row_number() over (order by priority desc, rule_id) as rank
        from {seed}
        where is_enabled
        order by rank
    {%- endset -%}
    {{- return(loaded_seed_rows('extraction_rules', statement)) -}}
{% endmacro %}
