{#-
    Keeps the journal as it is under another schema, before its format changes.
    The next maintenance takes it away. The runner copies the whole file, which
    a build that reaches no other file cannot.
-#}
{% macro copy_journal(format) %}
    {%- set kept = 'journal_format_' ~ format -%}
    {%- do run_query('create schema if not exists ' ~ kept) -%}
    {%- for row in run_query(
        "select table_name from duckdb_tables() where schema_name = 'journal'"
        ~ ' and database_name = current_database()'
    ).rows -%}
        {%- do run_query(
            'create or replace table ' ~ kept ~ '.' ~ row[0]
            ~ ' as from journal.' ~ row[0]
        ) -%}
    {%- endfor -%}
    {%- do adapter.commit() -%}
{% endmacro %}
