{#-
    The day, week (from Monday), weekend, month or year in which a date lies, as a
    struct of first_day and last_day.

    unit: SQL that gives one of those words
-#}
{% macro period_around(date_expression, unit) %}
    {{- return(adapter.dispatch('period_around', 'ebbing')(date_expression, unit)) -}}
{% endmacro %}

{% macro default__period_around(date_expression, unit) -%}
case {{ unit }}
    when 'day' then struct_pack(
        first_day := ({{ date_expression }})::date,
        last_day := ({{ date_expression }})::date
    )
    when 'week' then struct_pack(
        first_day := date_trunc('week', {{ date_expression }})::date,
        last_day := date_trunc('week', {{ date_expression }})::date + 6
    )
    when 'weekend' then struct_pack(
        first_day := date_trunc('week', {{ date_expression }})::date + 5,
        last_day := date_trunc('week', {{ date_expression }})::date + 6
    )
    when 'month' then struct_pack(
        first_day := date_trunc('month', {{ date_expression }})::date,
        last_day := last_day({{ date_expression }})
    )
    when 'year' then struct_pack(
        first_day := date_trunc('year', {{ date_expression }})::date,
        last_day := make_date(year({{ date_expression }}), 12, 31)
    )
end
{%- endmacro %}
