{#-
    An incremental strategy: all rows of what changed go, and those that the
    model gives for it now come. So what has no row any more has none.
-#}
{% macro get_incremental_rebuild_changed_sql(arguments) %}
    {%- set columns = get_quoted_csv(arguments['dest_columns'] | map(attribute='name')) -%}
    delete from {{ arguments['target_relation'] }}
    where {{ arguments['unique_key'] }} in {{ what_changed() }};

    insert into {{ arguments['target_relation'] }} ({{ columns }})
    select {{ columns }} from {{ arguments['temp_relation'] }}
{% endmacro %}
