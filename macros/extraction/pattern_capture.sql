{#- What a numbered group of a pattern captured, or an empty text. -#}
{% macro pattern_capture(text, pattern, group) %}
    {{- return(adapter.dispatch('pattern_capture', 'ebbing')(text, pattern, group)) -}}
{% endmacro %}

{% macro default__pattern_capture(text, pattern, group) -%}
regexp_extract({{ text }}, {{ text_literal('(?i)' ~ pattern) }}, {{ group }})
{%- endmacro %}
