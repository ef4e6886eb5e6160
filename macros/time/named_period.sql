{#-
    The day or month that a question names, as a struct of first_day and last_day:
    in the year that it names, or else the last one not after the day of asking.

    year: SQL that gives a text, empty where none is named
    unit: SQL that gives day or month
-#}
{% macro named_period(year, month, day_of_month, unit, asked_on) %}
    {{- return(adapter.dispatch('named_period', 'ebbing')(
        year, month, day_of_month, unit, asked_on
    )) -}}
{% endmacro %}

{% macro default__named_period(year, month, day_of_month, unit, asked_on) -%}
list_transform(
    [struct_pack(
        a_day := try_cast(format(
            '{}-{}-{}',
            coalesce(nullif({{ year }}, ''), year({{ asked_on }})::varchar),
            {{ month }},
            {{ day_of_month }}
        ) as date),
        is_given := {{ year }} != ''
    )],
    lambda named: case
        when named.is_given or named.a_day <= {{ asked_on }}
            then {{ period_around('named.a_day', unit) }}
        else {{ period_around('(named.a_day - interval 1 year)', unit) }}
    end
)[1]
{%- endmacro %}
