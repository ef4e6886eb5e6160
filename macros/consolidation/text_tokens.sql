{#-
    The tokens of a text, in order, in their own case: words, Han characters
    one by one, and numbers, versions, addresses, times and paths whole.
-#}
{% macro text_tokens(text_expression) -%}
    regexp_extract_all(
        {{ comparison_text(text_expression) }},
        '\p{Han}|°?[\p{L}\p{M}\p{N}_]+(?:[-./:@&][\p{L}\p{M}\p{N}_]+)*(?:\+\+|#)?|[$€£¥%:=?]'
    )
{%- endmacro %}
