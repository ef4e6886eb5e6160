{#-
    The tokens of a text, in order, in their own case: words, Han characters
    one by one, and numbers, versions, addresses, times and paths whole.
-#}
{% macro text_tokens(text_expression) -%}
    {{ return(adapter.dispatch('text_tokens', 'ebbing')(text_expression)) }}
{%- endmacro %}

{% macro duckdb__text_tokens(text_expression) -%}
    regexp_extract_all(
        {{ comparison_text(text_expression) }},
        '\p{Han}|°?[\p{L}\p{M}\p{N}_]+(?:[-./:@&][\p{L}\p{M}\p{N}_]+)*(?:\+\+|#)?|[$€£¥%:=?]'
    )
{%- endmacro %}

{#- Arrays instead of lists, and a set-returning function to gather. -#}
{% macro default__text_tokens(text_expression) -%}
    (
        select array_agg(found.token[1] order by found.position)
        from regexp_matches(
            {{ comparison_text(text_expression) }},
            '[[:alnum:]_]+([-./:@&][[:alnum:]_]+)*|[$%:=?]', 'g'
        ) with ordinality as found (token, position)
    )
{%- endmacro %}
