{#- A day, and the unit around it that is meant. -#}
{% macro day_and_unit(date_expression, unit) -%}
struct_pack(a_day := ({{ date_expression }})::date, unit := '{{ unit }}')
{%- endmacro %}
