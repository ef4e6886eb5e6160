{#-
    The days that a question asks about, as a struct of first_day and last_day,
    or null: a date that it names ("on 2026-11-17", "November 17", 11月17号, "in
    May", 2025年3月), of which the last one not after the day of asking is meant
    where it names no year, or else what period_meant finds ("last week").

    as_of: when it is asked (UTC)
-#}
{% macro asked_period(query_text, as_of) %}
    {{- return(adapter.dispatch('asked_period', 'ebbing')(query_text, as_of)) -}}
{% endmacro %}

{% macro default__asked_period(query_text, as_of) -%}
{%- set asked_on = '(' ~ as_of ~ ')::date' -%}
{%- set month = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*' -%}
{%- set number = '(\\d{1,2}|[一二三四五六七八九十]{1,3})' -%}
{%- set iso = '(?:^|\\D)(\\d{4})[-/.年](\\d{1,2})[-/.月](\\d{1,2})(?:日|号|\\D|$)' -%}
{%- set day_first = '\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ' ~ month ~ '\\b(?:,? (\\d{4}))?' -%}
{%- set month_first = '\\b' ~ month ~ ' (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4}))?' -%}
{%- set zh_day = number ~ '月' ~ number ~ '(?:日|号)' -%}
{%- set month_alone = '\\b(?:in|during|of|since|last) ' ~ month ~ '\\b(?:,? (\\d{4}))?' -%}
{%- set zh_month = '(?:(\\d{4})年)?' ~ number ~ '月(?:份|里|$|[^\\d一二三四五六七八九十])' -%}
{%- set year_alone = '\\b(?:in|during|of) ((?:19|20)\\d\\d)\\b' -%}
{%- set zh_year = '((?:19|20)\\d\\d)年' -%}
case
    when {{ pattern_capture(query_text, iso, 1) }} != ''
        then {{ named_period(
            pattern_capture(query_text, iso, 1),
            pattern_capture(query_text, iso, 2),
            pattern_capture(query_text, iso, 3),
            "'day'", asked_on
        ) }}
    when {{ pattern_capture(query_text, day_first, 1) }} != ''
        then {{ named_period(
            pattern_capture(query_text, day_first, 3),
            month_number(pattern_capture(query_text, day_first, 2)),
            pattern_capture(query_text, day_first, 1),
            "'day'", asked_on
        ) }}
    when {{ pattern_capture(query_text, month_first, 1) }} != ''
        then {{ named_period(
            pattern_capture(query_text, month_first, 3),
            month_number(pattern_capture(query_text, month_first, 1)),
            pattern_capture(query_text, month_first, 2),
            "'day'", asked_on
        ) }}
    when {{ pattern_capture(query_text, zh_day, 1) }} != ''
        then {{ named_period(
            "''",
            spoken_number(pattern_capture(query_text, zh_day, 1)),
            spoken_number(pattern_capture(query_text, zh_day, 2)),
            "'day'", asked_on
        ) }}
    when {{ pattern_capture(query_text, month_alone, 1) }} != ''
        then {{ named_period(
            pattern_capture(query_text, month_alone, 2),
            month_number(pattern_capture(query_text, month_alone, 1)),
            "'1'", "'month'", asked_on
        ) }}
    when {{ pattern_capture(query_text, zh_month, 2) }} != ''
        then {{ named_period(
            pattern_capture(query_text, zh_month, 1),
            spoken_number(pattern_capture(query_text, zh_month, 2)),
            "'1'", "'month'", asked_on
        ) }}
    when {{ pattern_capture(query_text, year_alone, 1) }} != ''
        then {{ period_around(
            'make_date(' ~ pattern_capture(query_text, year_alone, 1) ~ '::integer, 1, 1)', "'year'"
        ) }}
    when {{ pattern_capture(query_text, zh_year, 1) }} != ''
        then {{ period_around(
            'make_date(' ~ pattern_capture(query_text, zh_year, 1) ~ '::integer, 1, 1)', "'year'"
        ) }}
    else {{ period_meant(query_text, asked_on) }}
end
{%- endmacro %}
