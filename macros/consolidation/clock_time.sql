{#- A time of day with its half of the day or "half past", as hours and minutes: 3 pm is 15:00. -#}
{% macro clock_time(found) -%}
{%- set hour -%}
coalesce(
    try_cast(regexp_extract({{ found }}, '(\d{1,2})', 1) as integer),
    list_position(
        ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二'],
        replace(regexp_extract({{ found }}, '([一二两三四五六七八九十]+)点', 1), '两', '二')
    ),
    list_position(
        [
            'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight',
            'nine', 'ten', 'eleven', 'twelve'
        ],
        lower(regexp_extract({{ found }}, '(\w+)$', 1))
    )
)
{%- endset -%}
printf(
    '%d:%s',
    case
        when regexp_matches({{ found }}, '(?i)p[.]?m|下午|晚上|傍晚')
            then {{ hour }} % 12 + 12
        when regexp_matches({{ found }}, '(?i)a[.]?m|凌晨') then {{ hour }} % 12
        else {{ hour }}
    end,
    case
        when regexp_matches({{ found }}, '(?i)半|half past') then '30'
        when contains({{ found }}, '一刻') then '15'
        when contains({{ found }}, '三刻') then '45'
        else lpad(
            coalesce(nullif(regexp_extract({{ found }}, '(?::|点)(\d{1,2})', 1), ''), '0'),
            2,
            '0'
        )
    end
)
{%- endmacro %}
