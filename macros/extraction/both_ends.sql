{#-
    A text, or the beginning and the end of one that is longer than so many
    characters: nobody says that much, and who pastes it says why before or after.
-#}
{% macro both_ends(text, most_characters) -%}
case
    when length({{ text }}) <= {{ most_characters }} then {{ text }}
    else left({{ text }}, {{ most_characters // 2 }})
        || chr(10) || right({{ text }}, {{ most_characters // 2 }})
end
{%- endmacro %}
