{#- Dimension of the store's embedding model; the var before one is recorded. -#}
{% macro embedding_dimension() %}
    {%- set rows = active_embedding_model_row() -%}
    {{ return(rows.dimension if rows else var('embedding_dimension')) }}
{% endmacro %}
