{#- The tokens of a statement but for the user, whatever their order, as one text. -#}
{% macro token_bag(statement) -%}
    array_to_string(
        list_sort(list_filter(
            string_split({{ statement }}, ' '), lambda part: part <> '@user'
        )),
        ' '
    )
{%- endmacro %}
