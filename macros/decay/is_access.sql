{#-
    Whether a hit counts as an access: the cosine reaches the model's line or,
    where there was no vector to compare, the words alone are as telling.
-#}
{% macro is_access(similarity, lexical_score, access_similarity) -%}
    case
        when {{ similarity }} is not null
            then {{ similarity }} >= {{ access_similarity }}
        else coalesce({{ lexical_score }}, 0.0) >= {{ var('lexical_access') }}
    end
{%- endmacro %}
