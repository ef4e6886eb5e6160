{#-
    Where a run leaves, when all of it is done, how far it came: one row, read
    by the next run. Before the first one, everything is to be built.
-#}
{% macro create_builds() %}
    {%- if execute -%}
        {%- do run_query(
            'create schema if not exists internal;'
            ~ ' create table if not exists internal.last_build ('
            ~ ' build_number bigint not null,'
            ~ ' journal_position bigint not null,'
            ~ ' settings_fingerprint varchar not null);'
            ~ ' insert into internal.last_build'
            ~ " select 0, 0, 'none'"
            ~ ' where not exists (select 1 from internal.last_build)'
        ) -%}
        {#- A hook that renders to no statement is rolled back. -#}
        {%- do adapter.commit() -%}
    {%- endif -%}
{% endmacro %}
