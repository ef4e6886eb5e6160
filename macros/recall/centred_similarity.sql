{#-
    The cosine of a question and a memory once what all questions and all texts
    of the scope have in common is taken off both: (p - c)(q - g) / |q - g| over
    what |p - c| is on average. Inner products alone; no second vector is kept,
    and no number by memory (its own |p - c| was tried: no better). Null without
    a vector.

    product: p (q - g); shift: c (q - g); length: |q - g|
    spread:  the root mean square of |p - c|
-#}
{% macro centred_similarity(product, shift, length, spread) -%}
    case
        -- greatest and least alone would make a number of null.
        when {{ product }} is not null and {{ length }} * {{ spread }} > 0
            then least(1.0, greatest(
                -1.0, ({{ product }} - {{ shift }}) / ({{ length }} * {{ spread }})
            ))
    end
{%- endmacro %}
