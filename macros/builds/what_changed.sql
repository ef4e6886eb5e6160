{#-
    The ids, in brackets, of what a model has to build anew: those that the
    relation named by its meta `changed_by` says changed since the last build.
    By name and without a ref, which would ask every unit test of every model
    for an input of no interest: each of them stands behind that relation.
-#}
{% macro what_changed() -%}
    {%- set changed_by = config.meta_get('changed_by') -%}
    (
        select changes.{{ 'task_id' if changed_by == 'int_tasks_changed' else 'memory_id' }}
        from {{ target.database }}.internal.{{ changed_by }} as changes
        cross join {{ target.database }}.internal.last_build as last_build
        where changes.changed_in_build > last_build.build_number
    )
{%- endmacro %}
