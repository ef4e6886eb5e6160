{#-
    The terms of a query: those of `tokenise`, without the single characters of
    a longer run, which would let any two Chinese texts share something.
-#}
{% macro tokenise_query(expression) %}
    {{- return(adapter.dispatch('tokenise_query', 'ebbing')(expression)) -}}
{% endmacro %}


{% macro default__tokenise_query(expression) -%}
    {{ normalise_terms(split_terms(expression, single_characters=false)) }}
{%- endmacro %}
