{#-
    Says that this run is the last build, where it built every table. A run of
    a part, or one that failed or was killed, says nothing: the next one starts
    from the same place and does what that one did again.
-#}
{% macro record_build(results) %}
    {%- if not execute or flags.WHICH not in ('run', 'build') -%}{{- return('') -}}{%- endif -%}
    {%- set built = [] -%}
    {%- for result in results if result.status == 'success' -%}
        {%- do built.append(result.node.unique_id) -%}
    {%- endfor -%}
    {%- for node in graph.nodes.values() if
        node.resource_type == 'model'
        and node.config.materialized in ('table', 'incremental')
        and node.unique_id not in built -%}
        {{- return('') -}}
    {%- endfor -%}
    {%- do run_query(
        'update internal.last_build set'
        ~ ' build_number = build_number + 1,'
        ~ ' journal_position = (select journal_position from internal.int_journal_position),'
        ~ ' settings_fingerprint = (select settings_fingerprint from internal.int_settings)'
    ) -%}
    {#- A hook that renders to no statement is rolled back. -#}
    {%- do adapter.commit() -%}
{% endmacro %}
