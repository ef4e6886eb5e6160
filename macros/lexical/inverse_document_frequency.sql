{#-
    How telling a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), the non-negative
    form of Robertson and Sparck Jones' weight that Lucene uses; n of N memories
    have the term. N counts lexical_prior memories more than are in scope.
-#}
{% macro inverse_document_frequency(memory_count, memories_with_term) -%}
    ln(
        1.0 + (
            {{ memory_count }} + {{ var('lexical_prior') }}
            - {{ memories_with_term }} + 0.5
        ) / ({{ memories_with_term }} + 0.5)
    )
{%- endmacro %}
