{#-
    A text without a value of it, for each value that could be replaced: the
    words up to a place and `offset` words on, and the words after the next
    `length` ones. Two texts that differ in one value there share such a key.
    An expression for a list; null where the text has no such place.
-#}
{% macro frame_keys(tokens, place, label, largest_offset, longest_value) -%}
    case
        when {{ tokens }}.{{ place }} is not null then list_transform(
            list_filter(
                range(0, {{ (largest_offset + 1) * longest_value }}),
                lambda frame:
                {{ tokens }}.{{ place }} + frame // {{ longest_value }}
                + frame % {{ longest_value }} + 1 <= len({{ tokens }}.words)
            ),
            lambda frame: '{{ label }} '
            || array_to_string(
                {{ tokens }}.words[
                    :{{ tokens }}.{{ place }} + frame // {{ longest_value }}
                ],
                ' '
            )
            || ' _ '
            || array_to_string(
                {{ tokens }}.words[
                    {{ tokens }}.{{ place }} + frame // {{ longest_value }}
                    + frame % {{ longest_value }} + 2:
                ],
                ' '
            )
        )
    end
{%- endmacro %}
