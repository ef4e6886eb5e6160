{#-
    What kind of value a list of word kinds is: one text, so that a value is
    only replaced by another of its kind. A null: not a value at all.
-#}
{% macro value_class(kinds) -%}
    case
        when ({{ kinds }})[1] = 'circumstance' then null
        -- "五楼" (fifth floor) is neither a number nor a name.
        when ({{ kinds }})[1] = 'number' and ({{ kinds }})[2] = 'han'
            then 'numbered'
        when ({{ kinds }})[1] in ('number', 'date', 'unit') then 'number'
        when ({{ kinds }})[1] in ('name', 'surname') then 'name'
        when ({{ kinds }})[1] is not null then ({{ kinds }})[1]
    end
{%- endmacro %}
