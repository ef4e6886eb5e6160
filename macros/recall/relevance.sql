{#-
    How much a memory has to do with a query, from 0 to 1: a convex sum of the
    normalised cosine and the lexical score (Bruch, Gai and Ingber, 2023, on
    convex combination against rank fusion). Where one of the two is missing,
    the other stands alone.
-#}
{% macro relevance(
    similarity, lexical_score, has_text, unrelated_similarity
) -%}
    {%- set vector_part = normalised_similarity(
        similarity, unrelated_similarity
    ) -%}
    case
        when {{ similarity }} is null then {{ lexical_score }}
        when not {{ has_text }} then {{ vector_part }}
        else {{ var('vector_share') }} * {{ vector_part }}
            + {{ 1.0 - var('vector_share') }} * {{ lexical_score }}
    end
{%- endmacro %}
