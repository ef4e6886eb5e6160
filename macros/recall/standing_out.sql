{#-
    How far a memory stands out from the question's own background: deviations
    of its centred cosine from the mean of the scope, less what the best of so
    many unrelated ones reaches. Where the scope has few, a generic background
    (mean 0) counts for ten.

    background: a relation with memory_count, total, total_of_squares
    deviation:  the generic deviation, of the model; null where nobody measured
                it, and nothing stands out
-#}
{% macro standing_out(centred_similarity, background, deviation) -%}
    {%- set mean = background ~ '.total / (' ~ background ~ '.memory_count + 10)' -%}
    case
        -- greatest alone would make a number of null.
        when {{ deviation }} is not null
            then ({{ centred_similarity }} - {{ mean }})
                / sqrt(greatest(
                    1e-6,
                    (
                        {{ background }}.total_of_squares
                        - {{ background }}.total * {{ mean }}
                        + 10 * {{ deviation }} * {{ deviation }}
                    ) / ({{ background }}.memory_count + 10)
                ))
                - 0.5 * ln(greatest(1, {{ background }}.memory_count))
    end
{%- endmacro %}
