{#-
    BM25's share of a term's weight that a text earns, from 0 to 1: more
    repeats earn less and less, and less in a long text (Robertson and
    Zaragoza, 2009). The classic form is this times (k1 + 1).
-#}
{% macro term_saturation(term_frequency, term_count, average_term_count) -%}
    {{ term_frequency }} / (
        {{ term_frequency }} + {{ var('bm25_k1') }} * (
            1.0 - {{ var('bm25_b') }}
            + {{ var('bm25_b') }} * {{ term_count }}
            / greatest(1.0, {{ average_term_count }})
        )
    )
{%- endmacro %}
