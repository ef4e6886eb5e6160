{#-
    The patterns of the seed attribute_patterns with their lists written out,
    at compile time, for attribute_claims; empty until the seeds are loaded.
-#}
{% macro attribute_patterns() %}
    {%- set patterns = loaded_seed_rows(
        'attribute_patterns', 'select * from {seed} order by pattern_id'
    ) -%}
    {%- set words = loaded_seed_rows(
        'attribute_words',
        'select list, word from {seed} order by length(word) desc, word'
    ) -%}
    {{- return(expanded_patterns(patterns, words)) -}}
{% endmacro %}
