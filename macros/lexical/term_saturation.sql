{#-
    BM25's part of a term's weight that a text earns, at most 1: more repeats
    earn less and less, and less in a long text (Robertson and Zaragoza, 2009).
    Capped, so that no repetition outweighs a text that has every word.
-#}
{% macro term_saturation(term_frequency, term_count, average_term_count) -%}
    least(
        1.0,
        {{ term_frequency }} * ({{ var('bm25_k1') }} + 1.0) / (
            {{ term_frequency }} + {{ var('bm25_k1') }} * (
                1.0 - {{ var('bm25_b') }}
                + {{ var('bm25_b') }} * {{ term_count }}
                / greatest(1.0, {{ average_term_count }})
            )
        )
    )
{%- endmacro %}
