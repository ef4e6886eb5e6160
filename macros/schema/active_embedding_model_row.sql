{#-
    The embedding model that the store uses: the last one recorded.
    Read while dbt compiles, since a fixed-size array's type holds its size.
    Null while dbt only parses, and on a store that has none.
-#}
{% macro active_embedding_model_row() %}
    {%- if not execute -%}{{ return(none) }}{%- endif -%}
    {%- set journal = adapter.get_relation(
        database=target.database, schema='journal', identifier='embedding_models'
    ) -%}
    {%- if journal is none -%}{{ return(none) }}{%- endif -%}
    {%- set found = run_query(
        'select model_id, dimension from ' ~ journal
        ~ ' order by event_sequence desc limit 1'
    ) -%}
    {{ return(found.rows[0] if found.rows | length > 0 else none) }}
{% endmacro %}
