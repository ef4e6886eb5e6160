{#- The format that the store says it has; '0' where there is no journal yet. -#}
{% macro journal_format() %}
    {%- set settings = run_query(
        'select 1 from duckdb_tables() where database_name = current_database()'
        ~ " and schema_name = 'journal' and table_name = 'store_settings'"
    ).rows -%}
    {%- set format = '0' -%}
    {%- if settings -%}
        {%- set format = run_query(
            'select max_by(setting_value, event_sequence) from journal.store_settings'
            ~ " where setting = 'format_version'"
        ).rows[0][0] or '0' -%}
    {%- endif -%}
    {#- A hook that renders to no statement leaves its transaction to the next. -#}
    {%- do adapter.commit() -%}
    {{- return(format) -}}
{% endmacro %}
