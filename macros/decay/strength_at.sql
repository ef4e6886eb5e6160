{#-
    The strength of a memory at an instant: the one place that says what a
    stored strength is worth. Recall calls it with the time of the call,
    maintenance with the time of the report.

    `as_of` is a UTC timestamp expression. `relation` has the columns strength,
    strengthened_at, stability, decay_model, decay_base and strength_floor.
-#}
{% macro strength_at(as_of, relation=none) -%}
    {%- set prefix = relation ~ '.' if relation else '' -%}
    {{ decayed_strength(
        strength=prefix ~ 'strength',
        stability=prefix ~ 'stability',
        age=age_in_days(prefix ~ 'strengthened_at', as_of),
        decay_model=prefix ~ 'decay_model',
        decay_base=prefix ~ 'decay_base',
        strength_floor=prefix ~ 'strength_floor',
    ) }}
{%- endmacro %}
