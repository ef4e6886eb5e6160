{#-
    Strength after an access: r * s + b of the strength just before it, with
    the kind's retention r and boost b (0.95 s + 0.05 by default). At most 1.
-#}
{% macro strengthened(strength_before, access_retention, access_boost) -%}
    least(1.0, {{ access_retention }} * {{ strength_before }} + {{ access_boost }})
{%- endmacro %}
