{#-
    How telling a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), the non-negative
    form of Robertson and Sparck Jones' weight that Lucene uses. N memories in
    scope, n of them with the term.
-#}
{% macro inverse_document_frequency(memory_count, memories_with_term) -%}
    ln(
        1.0 + ({{ memory_count }} - {{ memories_with_term }} + 0.5)
        / ({{ memories_with_term }} + 0.5)
    )
{%- endmacro %}
