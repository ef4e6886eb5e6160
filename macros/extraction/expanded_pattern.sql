{#-
    A seed's pattern with each {name} replaced by the words of that list in that
    language, as one group: {family} is (?:wife|husband|...).

    words: what extraction_words gives
-#}
{% macro expanded_pattern(pattern, language, words) %}
    {%- set expanded = namespace(pattern=pattern) -%}
    {%- for list_name, list_words in words.get(language, {}).items() -%}
        {%- set expanded.pattern = expanded.pattern.replace(
            '{' ~ list_name ~ '}', '(?:' ~ list_words ~ ')'
        ) -%}
    {%- endfor -%}
    {{- return(expanded.pattern) -}}
{% endmacro %}
