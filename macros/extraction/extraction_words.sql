{#-
    The word lists of the seed extraction_words, at compile time, as
    {language: {list_name: 'word|word|...'}}; empty until the seed is loaded.
    The words of the language '*' stand in the lists of every language.
-#}
{% macro extraction_words() %}
    {%- set statement -%}
        select
            language,
            list_name,
            string_agg(word, '|' order by length(word) desc, word) as words
        from {seed}
        group by language, list_name
        order by language, list_name
    {%- endset -%}
    {%- set words = {} -%}
    {%- for row in loaded_seed_rows('extraction_words', statement) -%}
        {%- do words.setdefault(row.language, {}).update({row.list_name: row.words}) -%}
    {%- endfor -%}
    {{- return(words) -}}
{% endmacro %}
