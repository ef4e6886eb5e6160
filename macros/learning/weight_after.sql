{#-
    A weight after one credit: an exponential moving average, which steps
    `rate` of the way to `target`, but never against the credit's sign. So a
    memory that helped does not pay for being worth more than the average, and
    a task that failed lifts nothing.
-#}
{% macro weight_after(weight_before, credit, target, rate) -%}
    case
        when {{ credit }} > 0.0
            then greatest(
                {{ weight_before }},
                {{ weight_before }}
                + {{ rate }} * ({{ target }} - {{ weight_before }})
            )
        when {{ credit }} < 0.0
            then least(
                {{ weight_before }},
                {{ weight_before }}
                + {{ rate }} * ({{ target }} - {{ weight_before }})
            )
        else {{ weight_before }}
    end
{%- endmacro %}
