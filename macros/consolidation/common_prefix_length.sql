{#- How many elements two lists share from the start. -#}
{% macro common_prefix_length(first_list, second_list) -%}
    {{ return(adapter.dispatch('common_prefix_length', 'ebbing')(
        first_list, second_list
    )) }}
{%- endmacro %}

{% macro duckdb__common_prefix_length(first_list, second_list) -%}
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

{#- No lambdas: the first position that differs, by a lateral series. -#}
{% macro default__common_prefix_length(first_list, second_list) -%}
    (
        select coalesce(min(series.position) - 1, cardinality({{ first_list }}))
        from generate_series(
            1,
            greatest(cardinality({{ first_list }}), cardinality({{ second_list }}))
        ) as series (position)
        where ({{ first_list }})[series.position]
            is distinct from ({{ second_list }})[series.position]
    )
{%- endmacro %}
