{#-
    The enabled rules of the seed extraction_rules, best priority first, as a
    list of rows with their rank, whose patterns hold their word lists; empty
    until the seed is loaded. Read while the model is compiled, for
    extracted_statements writes them into its query.

    words: what extraction_words gives
-#}
{% macro extraction_rules(words) %}
    {%- set statement -%}
        select
            rule_id,
            language,
            kind,
            form,
            pattern,
            template,
            row_number() over (order by priority desc, rule_id) as rank
        from {seed}
        where is_enabled
        order by rank
    {%- endset -%}
    {%- set rules = [] -%}
    {%- for row in loaded_seed_rows('extraction_rules', statement) -%}
        {%- do rules.append({
            'rule_id': row.rule_id,
            'kind': row.kind,
            'form': row.form,
            'pattern': expanded_pattern(row.pattern, row.language, words),
            'template': row.template,
            'rank': row.rank,
        }) -%}
    {%- endfor -%}
    {{- return(rules) -}}
{% endmacro %}
