{#- Whether a text matches a pattern of a seed, whatever its letters' case. -#}
{% macro pattern_matches(text, pattern) %}
    {{- return(adapter.dispatch('pattern_matches', 'ebbing')(text, pattern)) -}}
{% endmacro %}

{% macro default__pattern_matches(text, pattern) -%}
regexp_matches({{ text }}, {{ text_literal('(?i)' ~ pattern) }})
{%- endmacro %}
