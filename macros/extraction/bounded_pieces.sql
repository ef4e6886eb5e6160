{#-
    A list of texts in which none is longer than so many characters: a longer
    one is cut between words where it has any, and nothing of it is lost.
-#}
{% macro bounded_pieces(texts, most_characters) -%}
flatten(list_transform(
    {{ texts }},
    lambda piece: case
        when length(piece) <= {{ most_characters }} then [piece]
        else list_transform(
            regexp_extract_all(
                piece,
                '(?s).{1,{{ most_characters - 1 }}}(?:\s|$)|.{1,{{ most_characters }}}'
            ),
            lambda part: trim(part)
        )
    end
))
{%- endmacro %}
