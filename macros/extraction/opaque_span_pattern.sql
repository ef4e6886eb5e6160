{#- What an opaque span looks like (see opaque_spans). -#}
{% macro opaque_span_pattern() -%}
`[^`\n]+`|"[^"\n]{1,400}"|“[^”]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|《[^》]{1,100}》|https?://[^\s，。）)]+
{%- endmacro %}
