{#- The id that a text has in a namespace; the runner makes the same one. -#}
{% macro memory_id_of(namespace, content) -%}
'mem_' || substr(sha256({{ namespace }} || chr(31) || {{ content }}), 1, 16)
{%- endmacro %}
