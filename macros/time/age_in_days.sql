{#-
    Fractional days from one UTC timestamp to another, never negative: a date
    in the future is age 0. Whole-day differences would round an hour to a day.
-#}
{% macro age_in_days(from_timestamp, to_timestamp) -%}
    greatest(
        0.0,
        (epoch({{ to_timestamp }}) - epoch({{ from_timestamp }})) / 86400.0
    )
{%- endmacro %}
