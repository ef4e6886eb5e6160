{#-
    How much a memory has to do with a query, from 0 to 1: a convex sum of its
    cosine, normalised or centred, and the lexical score (Bruch, Gai and Ingber,
    2023, on convex combination against rank fusion). A memory without a vector
    is given half its lexical score in the vector's place; a query without words
    goes by the vector alone, and so does a pair of two scripts, where words can
    hardly speak, unless they do. Nothing depends on the other candidates, so the
    same number is held against min_relevance.
-#}
{% macro relevance(
    vector_part, lexical_score, has_terms, is_across_scripts='false'
) -%}
    case
        when not {{ has_terms }} then greatest(0.0, coalesce({{ vector_part }}, 0.0))
        else greatest(
                case when {{ is_across_scripts }} then {{ vector_part }} end,
                {{ var('vector_share') }} * coalesce(
                    case
                        when {{ vector_part }} is not null
                            then greatest(0.0, {{ vector_part }})
                    end,
                    {{ lexical_score }} / 2.0
                )
                + {{ 1.0 - var('vector_share') }} * {{ lexical_score }}
            )
    end
{%- endmacro %}
