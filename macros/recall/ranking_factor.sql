{#-
    What strength and weight do to a relevance. In the balanced ranking the
    factor is bounded: a faded memory loses strength_influence at most, so
    decay may reorder close matches and cannot bury a clear one.
-#}
{% macro ranking_factor(strength, weight) -%}
    {%- set ranking = var('ranking') -%}
    {%- if ranking == 'similarity' -%}
    1.0
    {%- elif ranking == 'strength_x_similarity' -%}
    {{ strength }}
    {%- elif ranking == 'balanced' -%}
    (1.0 - {{ var('strength_influence') }} * (1.0 - {{ strength }}))
    * (1.0 + {{ var('weight_influence') }} * ({{ weight }} - 1.0))
    {%- else -%}
    {{ exceptions.raise_compiler_error(
        "var 'ranking' is '" ~ ranking ~ "'; it can be balanced, similarity"
        ~ " or strength_x_similarity"
    ) }}
    {%- endif -%}
{%- endmacro %}
