{#-
    The spans of a text that stay whole and are never read as statements:
    inline code, quoted text, book titles, links. In order of appearance.
-#}
{% macro opaque_spans(text) %}
    {{- return(adapter.dispatch('opaque_spans', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__opaque_spans(text) -%}
regexp_extract_all({{ text }}, '{{ opaque_span_pattern() }}')
{%- endmacro %}
