{#-
    The terms of a stored text, with repeats: one scalar expression, varchar[].
    It may stand in a model or in a table macro; `expression` is evaluated once.
    Nothing in the text is syntax: terms are extracted, never parsed.
-#}
{% macro tokenise(expression) %}
    {{- return(adapter.dispatch('tokenise', 'ebbing')(expression)) -}}
{% endmacro %}


{#- Single Han and Hangul characters are terms too, so that a one-character
    query finds them inside a longer run. -#}
{% macro default__tokenise(expression) -%}
    {{ normalise_terms(split_terms(expression, single_characters=true)) }}
{%- endmacro %}
