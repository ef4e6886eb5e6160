{#-
    After a change of the embedding model the table of vectors has another
    type, which an incremental model cannot change by itself, and the
    similarities of pairs are another model's. Both go, and are built anew
    from the journal. An empty table may be of any type, and goes as well.
-#}
{% macro drop_vectors_of_other_models() %}
    {%- if execute and flags.WHICH in ('run', 'build') -%}
        {%- set active = active_embedding_model_row() -%}
        {%- set vectors = adapter.get_relation(
            database=target.database,
            schema='internal',
            identifier='int_memory_vectors'
        ) -%}
        {%- if active and vectors -%}
            {%- set counted = run_query(
                "select count(*), count(*) filter (where model_id <> '"
                ~ (active.model_id | replace("'", "''")) ~ "') from " ~ vectors
            ).rows[0] -%}
            {%- set pairs = adapter.get_relation(
                database=target.database,
                schema='internal',
                identifier='int_memory_pairs'
            ) -%}
            {%- if counted[0] == 0 or counted[1] > 0 -%}
                {%- do adapter.drop_relation(vectors) -%}
            {%- endif -%}
            {%- if counted[1] > 0 and pairs -%}
                {%- do adapter.drop_relation(pairs) -%}
            {%- endif -%}
            {#- A hook that renders to no statement is rolled back. -#}
            {%- do adapter.commit() -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
