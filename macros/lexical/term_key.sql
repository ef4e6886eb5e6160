{#- A term as a number: a column of numbers is searched faster than one of words. -#}
{% macro term_key(term) -%}
    {{ number_of(term) }}
{%- endmacro %}
