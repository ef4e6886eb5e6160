{#-
    The days that a text means by words that lean on the day of its saying
    ("in three weeks", "until Thursday", 三天后, 月底前), as a struct of first_day
    and last_day; null where it leans on none. Of several the first in this list
    counts. Weeks begin on Monday: "next Friday" is that of the next week, a bare
    "by Friday" or 礼拜五要 the first one from the day on, and "on the 14th" likewise.

    day: a date, in UTC
-#}
{% macro period_meant(text, day) %}
    {{- return(adapter.dispatch('period_meant', 'ebbing')(text, day)) -}}
{% endmacro %}

{% macro default__period_meant(text, day) -%}
{%- set number = '(\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
    ~ '|twenty|thirty|a couple of)' -%}
{%- set zh_number = '(\\d{1,3}|[一二两三四五六七八九十]{1,3}) ?' -%}
{%- set weekdays = '(mon|tues|wednes|thurs|fri|satur|sun)day' -%}
{%- set zh_week = '(?:周|星期|礼拜)' -%}
{%- set zh_years = {2: '后年', -2: '前年', 1: '明年', -1: '去年', 0: '今年'} -%}
{%- set monday = "date_trunc('week', " ~ day ~ ')::date' -%}
{%- set single_days = [
    ('(?i)\\bday after tomorrow\\b|(?:^|[^大])后天', 2),
    ('(?i)\\bday before yesterday\\b|(?:^|[^大])前天', -2),
    ('大后天', 3),
    ('大前天', -3),
    ('(?i)\\btomorrow\\b|明天|明早|明晚', 1),
    ('(?i)\\b(?:yesterday|last night)\\b|昨天|昨晚|昨日', -1),
    ('(?i)\\b(?:today|tonight|this (?:morning|afternoon|evening))\\b|今天|今晚|今早|今日', 0),
] -%}
{%- set units = [
    ('day', 'day', '天', 1), ('week', 'day', '个?(?:周|星期|礼拜)', 7),
    ('month', 'month', '个月', 1), ('year', 'year', '年', 1),
] -%}
{%- set relative_units = [
    ('week', '(?:周|星期|礼拜)'), ('weekend', '(?:周末|星期末)'), ('month', '月'), ('year', 'x'),
] -%}
list_transform(
    [case
    {%- for pattern, days in single_days %}
    when regexp_matches({{ text }}, '{{ pattern }}')
        then {{ day_and_unit(day ~ ' + (' ~ days ~ ')', 'day') }}
    {%- endfor %}
    when regexp_matches({{ text }}, '(?i)\b(?:a )?fortnight ago\b')
        then {{ day_and_unit(day ~ ' - 14', 'day') }}
    when regexp_matches({{ text }}, '(?i)\bin a fortnight\b|\ba fortnight from now\b')
        then {{ day_and_unit(day ~ ' + 14', 'day') }}
    {%- for unit, grain, zh_unit, factor in units %}
    {%- for sign, pattern, zh_pattern in [
        ('+', '\\b(?:in|within) ' ~ number ~ ' ' ~ unit ~ "s?(?:'s?)?(?: time)?\\b",
            zh_number ~ zh_unit ~ '(?:之?后|以后|内)'),
        ('+', '\\b' ~ number ~ ' ' ~ unit ~ 's? (?:from now|from today|hence)\\b', '过' ~ zh_number ~ zh_unit),
        ('-', '\\b' ~ number ~ ' ' ~ unit ~ 's? (?:ago|back|earlier)\\b', zh_number ~ zh_unit ~ '(?:之|以)?前'),
    ] %}
    {%- set said = 'concat(regexp_extract(' ~ text ~ ', ' ~ text_literal('(?i)' ~ pattern)
        ~ ', 1), regexp_extract(' ~ text ~ ', ' ~ text_literal(zh_pattern) ~ ', 1))' %}
    when {{ spoken_number(said) }} is not null
        then {{ day_and_unit(
            day ~ ' ' ~ sign ~ ' to_' ~ ('days' if factor != 1 or unit == 'day' else unit ~ 's')
            ~ '(' ~ spoken_number(said) ~ ' * ' ~ factor ~ ')', grain
        ) }}
    {%- endfor %}
    {%- endfor %}
    {%- for word, zh_word, weeks in [
        ('week after next', '下下个?', 2), ('week before last', '上上个?', -2),
        ('next', '下个?', 1), ('last', '上个?', -1), ('this', '(?:这个?|本)', 0),
    ] %}
    {%- set said = 'concat(regexp_extract(' ~ text ~ ', ' ~ text_literal('(?i)\\b' ~ word ~ ' ' ~ weekdays ~ '\\b')
        ~ ', 1), regexp_extract(' ~ text ~ ', ' ~ text_literal(zh_word ~ zh_week ~ '([一二三四五六日天])')
        ~ ', 1))' %}
    when {{ weekday_number(said) }} is not null
        then {{ day_and_unit(
            monday ~ ' + 7 * (' ~ weeks ~ ') + ' ~ weekday_number(said) ~ ' - 1'
            ~ (' + case when ' ~ monday ~ ' + ' ~ weekday_number(said) ~ ' - 1 < ' ~ day
                ~ " and regexp_matches(" ~ text ~ ", '(?i)last') then 7 else 0 end" if word == 'last' else ''),
            'day'
        ) }}
    when regexp_matches({{ text }}, '(?i)\b{{ word }} weekend\b|{{ zh_word }}(?:周|星期|礼拜)末')
        then {{ day_and_unit(day ~ ' + 7 * (' ~ weeks ~ ')', 'weekend') }}
    when regexp_matches({{ text }}, '(?i)\b{{ word if weeks in (2, -2) else word ~ ' week' }}\b|{{ zh_word }}(?:周|星期|礼拜)')
        then {{ day_and_unit(day ~ ' + 7 * (' ~ weeks ~ ')', 'week') }}
    when regexp_matches({{ text }}, '(?i)\b{{ word }} month\b|{{ zh_word }}月')
        then {{ day_and_unit(day ~ ' + to_months(' ~ weeks ~ ')', 'month') }}
    when regexp_matches({{ text }}, '(?i)\b{{ word }} year\b|{{ zh_years[weeks] }}')
        then {{ day_and_unit(day ~ ' + to_years(' ~ weeks ~ ')', 'year') }}
    {%- endfor %}
    when regexp_matches({{ text }}, '(?i)\bend of (?:the|this) month\b|(?:^|[^每个])月底')
        then {{ day_and_unit('last_day(' ~ day ~ ')', 'day') }}
    when regexp_matches({{ text }}, '(?i)\bend of (?:the|this) year\b|年底')
        then {{ day_and_unit("date_trunc('year', " ~ day ~ ') + interval 1 year - interval 1 day', 'day') }}
    {%- set said = 'concat(regexp_extract(' ~ text ~ ', ' ~ text_literal(
            '(?i)\\b(?:until|till|by|before|from|since|coming) ' ~ weekdays ~ '\\b')
        ~ ', 1), regexp_extract(' ~ text ~ ', ' ~ text_literal(
            '(?:^|[^每逢上下这本个])' ~ zh_week ~ '([一二三四五六日天])(?:上午|下午|晚上|早上|中午)?'
            ~ '(?:要|去|会|得|有|之?前|交|见|到|飞|出发|面试|体检|开会|考|打算|准备|约)')
        ~ ', 1))' %}
    when {{ weekday_number(said) }} is not null
        then {{ day_and_unit(
            day ~ ' + (' ~ weekday_number(said) ~ ' - isodow(' ~ day ~ ')::integer + 7) % 7', 'day'
        ) }}
    {%- set said = 'concat(regexp_extract(' ~ text ~ ', ' ~ text_literal(
            '(?i)\\b(?:on|by|until|till|before|from|since) the (\\d{1,2})(?:st|nd|rd|th)\\b(?: of (?:the|this) month)?(?:$|[^\\w\\s]| (?:at|for|in|with|and|so|to)\\b)')
        ~ ', 1), regexp_extract(' ~ text ~ ', ' ~ text_literal('(?:^|[^每月\\d一二三十])(\\d{1,2}|[一二三]?十[一二三四五六七八九]?)(?:号|日)(?:$|[^线楼码])')
        ~ ', 1))' %}
    -- Where a month is named the day is one of its own.
    when
        not regexp_matches({{ text }}, '[\d一二三四五六七八九十]月')
        and {{ spoken_number(said) }} between 1 and 28
        then {{ day_and_unit(
            "date_trunc('month', " ~ day ~ ') + to_days(' ~ spoken_number(said) ~ ' - 1)'
            ~ ' + to_months(case when ' ~ spoken_number(said) ~ ' < day(' ~ day ~ ') then 1 else 0 end)',
            'day'
        ) }}
end],
    lambda meant: {{ period_around('meant.a_day', 'meant.unit') }}
)[1]
{%- endmacro %}
