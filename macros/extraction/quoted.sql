{#- A list of texts as SQL literals with commas between; null for none. -#}
{% macro quoted(texts) -%}
{%- for text in texts %}{{ text_literal(text) }}{{ ', ' if not loop.last }}{% else %}null{% endfor -%}
{%- endmacro %}
