{#- The most that ranking_factor gives: what an exact match is worth. -#}
{% macro highest_ranking_factor() -%}
    {{ 1.0 + var('weight_influence') if var('ranking') == 'balanced' else 1.0 }}
{%- endmacro %}
