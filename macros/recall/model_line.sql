{#-
    A line of the embedding model between cosines, as the seed embedding_models
    has it: `unrelated` or `access`; for Chinese asked in Chinese, the
    line for that. The relation has the seed's rows `own`, of the recall's
    model, and `fallback`, of every model that has none.
-#}
{% macro model_line(line, query_text, content) -%}
    case
        when
            {{ script_of(query_text) }} = 'han'
            and {{ script_of(content) }} = 'han'
            then coalesce(
                    own.{{ line }}_han_similarity,
                    fallback.{{ line }}_han_similarity
                )
        else coalesce(
                own.{{ line }}_similarity, fallback.{{ line }}_similarity
            )
    end
{%- endmacro %}
