{#-
    Raw terms in the form that is indexed and looked up: accents folded where
    they do not change the word, English endings taken off.
-#}
{% macro normalise_terms(terms) %}
    {{- return(adapter.dispatch('normalise_terms', 'ebbing')(terms)) -}}
{% endmacro %}


{% macro default__normalise_terms(terms) -%}
    {{- exceptions.raise_compiler_error(
        "ebbing has no term folding for this engine: write a macro <engine>__normalise_terms"
    ) -}}
{%- endmacro %}


{#- `strip_accents` would also take the vowels of Devanagari, the voicing of kana
    and the jamo of Hangul, so only scripts where marks are optional pass it:
    Latin, Greek, Cyrillic, Hebrew, Arabic. -#}
{% macro duckdb__normalise_terms(terms) -%}
list_transform(
    {{ terms }},
    lambda term: case
        when regexp_full_match(term, '[a-z]{3,}')
            then {{ stem_english('term') }}
        when regexp_full_match(term, '[\x00-\x7F]*')
            then term
        when regexp_full_match(
            term,
            '[\x00-\x{077F}\x{1E00}-\x{1FFF}\x{2C60}-\x{2C7F}\x{A720}-\x{A7FF}\x{FB00}-\x{FEFF}]+'
        )
            then translate(strip_accents(term), 'ςı', 'σi')
        else term
    end
)
{%- endmacro %}
