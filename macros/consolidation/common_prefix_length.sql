{#- How many elements two lists share from the start. -#}
{% macro common_prefix_length(first_list, second_list) -%}
    (
        coalesce(
            list_position(
                list_transform(
                    list_zip({{ first_list }}, {{ second_list }}),
                    lambda pair: pair[1] is distinct from pair[2]
                ),
                true
            ) - 1,
            len({{ first_list }})
        )
    )
{%- endmacro %}
