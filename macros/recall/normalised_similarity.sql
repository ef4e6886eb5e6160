{#-
    A cosine between 0 and 1 where 0 is what this model gives to unrelated
    texts (0.8 and more for some): the zero comes from seed embedding_models.
    Null without a vector; greatest and least alone would make it 0.
-#}
{% macro normalised_similarity(similarity, unrelated_similarity) -%}
    case
        when {{ similarity }} is not null then least(1.0, greatest(
            0.0,
            ({{ similarity }} - {{ unrelated_similarity }})
            / (1.0 - {{ unrelated_similarity }})
        ))
    end
{%- endmacro %}
