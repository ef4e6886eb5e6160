{#- Keeps an input to what changed; in a whole build, it keeps all of it. -#}
{% macro where_changed(key) -%}
    {%- if is_incremental() -%}
    where {{ key }} in {{ what_changed() }}
    {%- endif -%}
{%- endmacro %}
