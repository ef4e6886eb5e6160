{#-
    In place of the adapter's own, which lets DuckDB read the seed's file: in
    a store, DuckDB may read none. All rows go over as one JSON text, since
    binding each value of a seed takes a second.
-#}
{% macro duckdb__load_csv_rows(model, agate_table) %}
    {%- set names = agate_table.column_names -%}
    {%- set rows = [] -%}
    {%- for row in agate_table.rows -%}
        {%- set cells = [] -%}
        {%- for value in row -%}
            {%- do cells.append(none if value is none else value | string) -%}
        {%- endfor -%}
        {%- do rows.append(cells) -%}
    {%- endfor -%}
    {%- set statement -%}
        insert into {{ this.render() }} ({{ names | join(', ') }})
        select
            {% for name in names -%}
                cells[{{ loop.index }}]{{ ',' if not loop.last }}
            {% endfor %}
        from (select unnest(from_json($1, '[["varchar"]]')) as cells)
    {%- endset -%}
    {%- do adapter.add_query(
        statement, bindings=[tojson(rows)], abridge_sql_log=True
    ) -%}
    {{ return(statement) }}
{% endmacro %}
