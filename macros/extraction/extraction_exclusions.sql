{#-
    The exclusions of the seed extraction_exclusions, as a list of rows whose
    patterns hold their word lists; empty until the seed is loaded.

    words: what extraction_words gives
-#}
{% macro extraction_exclusions(words) %}
    {%- set statement -%}
        select
            pattern_id,
            language,
            applies_to,
            pattern
        from {seed}
        order by pattern_id
    {%- endset -%}
    {%- set exclusions = [] -%}
    {%- for row in loaded_seed_rows('extraction_exclusions', statement) -%}
        {%- do exclusions.append({
            'applies_to': row.applies_to,
            'pattern': expanded_pattern(row.pattern, row.language, words),
        }) -%}
    {%- endfor -%}
    {{- return(exclusions) -}}
{% endmacro %}
