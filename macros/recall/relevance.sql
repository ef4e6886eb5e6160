{#-
    How much a memory has to do with a query, from 0 to 1: a convex sum of the
    normalised cosine and the lexical score (Bruch, Gai and Ingber, 2023, on
    convex combination against rank fusion). A memory without a vector is given
    half its lexical score in the vector's place; a query without words goes by
    the vector alone. Nothing depends on the other candidates, so the same
    number ranks and is held against min_relevance.
-#}
{% macro relevance(
    similarity, lexical_score, has_terms, unrelated_similarity
) -%}
    {%- set vector_part = normalised_similarity(
        similarity, unrelated_similarity
    ) -%}
    case
        when not {{ has_terms }} then coalesce({{ vector_part }}, 0.0)
        else {{ var('vector_share') }} * coalesce(
                {{ vector_part }}, {{ lexical_score }} / 2.0
            )
            + {{ 1.0 - var('vector_share') }} * {{ lexical_score }}
    end
{%- endmacro %}
