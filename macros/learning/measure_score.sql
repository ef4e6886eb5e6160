{#-
    How a measure of which less is better compares with earlier tasks, from -1
    to 1; 0 is as before, or nothing known.

    value:              the task's own, null when it was not told
    earlier_count:      how many earlier tasks told theirs
    earlier_sum:        their sum
    earlier_square_sum: the sum of their squares; all three are whole numbers,
                        so that the result does not hang on an order of adding

    Few earlier tasks: (mean - value) over the greater of the two, at least 1.
    From `baseline_tasks` on: tanh(z / 2), z in deviations from the mean. Where
    earlier tasks hardly differed, a deviation is `least_deviation` of the mean;
    where all were 0, the simple difference stays.
-#}
{% macro measure_score(
    value, earlier_count, earlier_sum, earlier_square_sum
) -%}
    {%- set mean -%}
    (cast({{ earlier_sum }} as double) / {{ earlier_count }})
    {%- endset -%}
    {%- set deviation -%}
    greatest(
        sqrt(cast(
            {{ earlier_count }} * {{ earlier_square_sum }}
            - {{ earlier_sum }} * {{ earlier_sum }}
            as double
        )) / {{ earlier_count }},
        {{ var('least_deviation') }} * {{ mean }}
    )
    {%- endset -%}
    case
        when {{ value }} is null or coalesce({{ earlier_count }}, 0) = 0
            then 0.0
        when
            {{ earlier_count }} < {{ var('baseline_tasks') }}
            or {{ earlier_sum }} = 0
            then
                ({{ mean }} - {{ value }})
                / greatest({{ mean }}, {{ value }}, 1.0)
        when {{ deviation }} = 0.0
            then sign({{ mean }} - {{ value }})
        else tanh(({{ mean }} - {{ value }}) / {{ deviation }} / 2.0)
    end
{%- endmacro %}
