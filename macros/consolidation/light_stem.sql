{#-
    A lower-cased word as the lexical index stems it, but for past tenses, which
    keep their ending: when a thing was so matters. What comes out is a key for
    comparison, not a word.
-#}
{% macro light_stem(word) -%}
    case
        when length({{ word }}) > 3
            and regexp_matches({{ word }}, '^[a-z]+$')
            and not ends_with({{ word }}, 'ed')
            then {{ stem_english(word) }}
        else {{ word }}
    end
{%- endmacro %}
