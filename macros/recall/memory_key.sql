{#- A memory's id as a number, by which narrow rows are joined. -#}
{% macro memory_key(memory_id) -%}
    {{ number_of(memory_id) }}
{%- endmacro %}
