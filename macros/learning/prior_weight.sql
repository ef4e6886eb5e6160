{#- The weight that a memory starts with, by the way it came in. -#}
{% macro prior_weight(method) -%}
    coalesce(
        (
            select methods.prior_weight
            from {{ ref('memory_methods') }} as methods
            where methods.method = {{ method }}
        ),
        1.0
    )
{%- endmacro %}
