{#-
    'han' for text in Chinese characters without kana or Hangul, else 'other':
    models give unrelated Chinese texts higher cosines than other pairs.
-#}
{% macro script_of(expression) -%}
    {{ return(adapter.dispatch('script_of', 'ebbing')(expression)) }}
{%- endmacro %}

{% macro default__script_of(expression) -%}
    'other'
{%- endmacro %}

{#- RE2 knows scripts by name. -#}
{% macro duckdb__script_of(expression) -%}
    case
        when regexp_matches(
            {{ expression }}, '[\p{Hiragana}\p{Katakana}\p{Hangul}]'
        ) then 'other'
        when regexp_matches({{ expression }}, '\p{Han}') then 'han'
        else 'other'
    end
{%- endmacro %}
