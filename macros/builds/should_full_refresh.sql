{#-
    dbt asks this before it builds an incremental model. One is built whole
    where the last build went by other settings: a var, a seed, a macro, another
    embedding model. A model whose rows say themselves by what they were made
    (meta `keeps_its_rows`) is not.
-#}
{% macro should_full_refresh() %}
    {%- set asked_for = config.get('full_refresh') -%}
    {%- if asked_for is none -%}{%- set asked_for = flags.FULL_REFRESH -%}{%- endif -%}
    {%- if asked_for or config.meta_get('keeps_its_rows') -%}
        {{- return(asked_for) -}}
    {%- endif -%}
    {%- set settings = adapter.get_relation(
        database=target.database, schema='internal', identifier='int_settings'
    ) -%}
    {{- return(
        settings is none or run_query('select is_anew from ' ~ settings).rows[0][0]
    ) -}}
{% endmacro %}
