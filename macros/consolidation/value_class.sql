{#-
    What kind of value a list of word kinds is: one text, so that a value is
    only replaced by another of its kind. A null: not a value at all.
-#}
{% macro value_class(kinds) -%}
    case
        when list_contains({{ kinds }}, 'circumstance') then null
        when ({{ kinds }})[1] in ('number', 'date', 'unit') then 'number'
        when ({{ kinds }})[1] in ('name', 'surname') then 'name'
        when ({{ kinds }})[1] is not null then ({{ kinds }})[1]
    end
{%- endmacro %}
