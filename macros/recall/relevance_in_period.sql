{#-
    A relevance where a time is asked about: what was said or is so in that
    time is lifted, the rest lowered. Unchanged where none is.
-#}
{% macro relevance_in_period(relevance, is_in_period) -%}
    case
        when cast(asked_from as date) is null then {{ relevance }}
        else {{ 1.0 - var('period_share') }} * {{ relevance }}
            + case when {{ is_in_period }} then {{ var('period_share') }} else 0.0 end
    end
{%- endmacro %}
