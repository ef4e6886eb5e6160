{#-
    After a change of the embedding model the table of vectors has another
    type, which an incremental model cannot change by itself, and the
    similarities of pairs are another model's. Both go, and are built anew
    from the journal.
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
            {%- set others = run_query(
                'select count(*) from ' ~ vectors ~ " where model_id <> '"
                ~ (active.model_id | replace("'", "''")) ~ "'"
            ) -%}
            {%- if others.rows[0][0] > 0 -%}
                {%- for stale in ['int_memory_vectors', 'int_memory_pairs'] -%}
                    {%- set relation = adapter.get_relation(
                        database=target.database,
                        schema='internal',
                        identifier=stale
                    ) -%}
                    {%- if relation -%}
                        {%- do adapter.drop_relation(relation) -%}
                    {%- endif -%}
                {%- endfor -%}
            {%- endif -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
