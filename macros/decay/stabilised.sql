{#-
    Stability in days after an access: FSRS-6's increase by a successful
    recall, S * (1 + g * S ^ -0.1666 * (e ^ (0.796 (1 - R)) - 1)), where R is
    the strength just before it. An access soon after another adds little: the
    spacing effect. g is the kind's stability_growth; FSRS-6's own weights at
    middling difficulty give e ^ 1.8722 * 6 = 39.0. A kind with g = 0 keeps S.
-#}
{% macro stabilised(stability, strength_before, stability_growth) -%}
    {{ stability }} * (
        1.0 + {{ stability_growth }} * pow({{ stability }}, -0.1666)
        * (exp(0.796 * (1.0 - least(1.0, {{ strength_before }}))) - 1.0)
    )
{%- endmacro %}
