{#-
    What a claim captured, as a key: two of one key are one value. Articles and
    endings go; times and sizes have one form (text_tokens).
-#}
{% macro claim_value(text) -%}
    array_to_string(
        list_filter(
            list_transform(
                {{ text_tokens('lower(' ~ text ~ ')') }},
                lambda token: {{ light_stem('token') }}
            ),
            lambda token: token not in (
                'a', 'an', 'the', 'my', 'our', 'his', 'her', 'their', 'its', 'some', ':', '=', 's'
            )
        ),
        ' '
    )
{%- endmacro %}
