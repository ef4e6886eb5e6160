{#-
    What a strength is worth after `age` days, by the kind's decay model.

    exponential: s * base ^ age
    power:       s * (1 + f * age / S) ^ -d, the forgetting curve of FSRS-6
                 (open-spaced-repetition, 2025) with d = 0.1542 and
                 f = 0.9 ^ (-1 / d) - 1, so that it is 0.9 s at age = S days.

    Both are bounded below by the kind's floor. All arguments are expressions.
-#}
{% macro decayed_strength(
    strength, stability, age, decay_model, decay_base, strength_floor
) -%}
    greatest(
        {{ strength_floor }},
        {{ strength }} * case {{ decay_model }}
            when 'power' then pow(
                1.0 + 0.9803464944 * {{ age }} / {{ stability }},
                -0.1542
            )
            else pow({{ decay_base }}, {{ age }})
        end
    )
{%- endmacro %}
