{#- A period as a reader writes it: a day, a month (2025-06), a year, or from - to. -#}
{% macro period_text(period, joined_by) %}
    {{- return(adapter.dispatch('period_text', 'ebbing')(period, joined_by)) -}}
{% endmacro %}

{% macro default__period_text(period, joined_by) -%}
case
    when {{ period }}.first_day = {{ period }}.last_day
        then strftime({{ period }}.first_day, '%Y-%m-%d')
    when
        dayofyear({{ period }}.first_day) = 1
        and {{ period }}.last_day = ({{ period }}.first_day + interval 1 year - interval 1 day)::date
        then strftime({{ period }}.first_day, '%Y')
    when
        day({{ period }}.first_day) = 1
        and {{ period }}.last_day = last_day({{ period }}.first_day)
        then strftime({{ period }}.first_day, '%Y-%m')
    else
        strftime({{ period }}.first_day, '%Y-%m-%d')
        || '{{ joined_by }}'
        || strftime({{ period }}.last_day, '%Y-%m-%d')
end
{%- endmacro %}
