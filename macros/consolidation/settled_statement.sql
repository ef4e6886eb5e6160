{#-
    A statement in which two orders of a date are one ("June 12", "12 June"),
    and "not ... any more" is a ceasing.
-#}
{% macro settled_statement(statement, no_mores) -%}
    coalesce(regexp_replace(
        case
            when {{ no_mores }} > 0 then replace({{ statement }}, '@not', '@ceased')
            else {{ statement }}
        end,
        '(@month\d\d) (\d{1,2})( |$)', '\2 \1\3', 'g'
    ), '')
{%- endmacro %}
