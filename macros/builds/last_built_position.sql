{#-
    How far the last finished build had come, known while a model is compiled,
    so that older rows are not read.
-#}
{% macro last_built_position() %}
    {{- return(
        run_query(
            'select coalesce(max(journal_position), 0) from '
            ~ ref('stg_builds__last_build')
        ).rows[0][0] if execute else 0
    ) -}}
{% endmacro %}
