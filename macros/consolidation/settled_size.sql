{#-
    A number with its unit in the largest unit in which it is whole; as it is
    written where that is its own.

    family: patterns of the units with their size in the smallest, in turn
    names:  how each unit is written
-#}
{% macro settled_size(found, family, names) -%}
{%- set size -%}
round(
    cast(regexp_extract({{ found }}, '^(\d+(?:[.]\d+)?)', 1) as double) * case
        {%- for unit in names %}
        when regexp_matches({{ found }}, '(?i)\d ?(?:{{ family[loop.index0 * 2] }})$')
            then {{ family[loop.index0 * 2 + 1] }}
        {%- endfor %}
    end
)
{%- endset -%}
case
    {%- for unit in names | reverse %}
    {%- set place = (names | length - loop.index) * 2 %}
    when {{ size }} > 0 and {{ size }} % {{ family[place + 1] }} = 0
        then case
            when regexp_matches({{ found }}, '(?i)^\d+ ?(?:{{ family[place] }})$')
                then {{ found }}
            else printf('%d {{ unit }}', cast({{ size }} / {{ family[place + 1] }} as bigint))
        end
    {%- endfor %}
    else {{ found }}
end
{%- endmacro %}
