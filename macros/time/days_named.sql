{#-
    The days that a text names as 2025-06-10, a list of dates; what leans on the
    day of its saying has them behind it (with_said_on). A day that is none is
    left out.
-#}
{% macro days_named(text) -%}
    list_filter(
        list_transform(
            regexp_extract_all({{ text }}, '\b\d{4}-\d{2}-\d{2}\b'),
            lambda found: try_cast(found as date)
        ),
        lambda found: found is not null
    )
{%- endmacro %}
