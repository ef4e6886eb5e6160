{#-
    Whether two values, as lists of words, may be one: equal, or the one says
    more in words without digits ("St Mary", "St Mary's Hospital").
-#}
{% macro values_agree(first_words, second_words) -%}
    (
        {{ first_words }} = {{ second_words }}
        or (
            (
                list_has_all({{ first_words }}, {{ second_words }})
                or list_has_all({{ second_words }}, {{ first_words }})
            )
            and not regexp_matches(
                array_to_string(
                    list_filter(
                        list_concat({{ first_words }}, {{ second_words }}),
                        lambda word: not (
                            list_contains({{ first_words }}, word)
                            and list_contains({{ second_words }}, word)
                        )
                    ),
                    ' '
                ),
                '\d|^[一二两三四五六七八九十百千万]|\b(?:two|three|four|five|six)\b'
            )
        )
    )
{%- endmacro %}
