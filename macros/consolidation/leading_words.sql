{#- The words of a text up to a place in it, as one text; null where there is no such place. -#}
{% macro leading_words(tokens, place) -%}
    case
        when {{ tokens }}.{{ place }} is not null
            then array_to_string({{ tokens }}.words[:{{ tokens }}.{{ place }}], ' ')
    end
{%- endmacro %}
