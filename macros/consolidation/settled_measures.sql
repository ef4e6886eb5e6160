{#-
    A text in which equal times of day and equal sizes are written alike:
    3 pm, 15:00 and 下午三点; 1024 MB and 1 GB; 120 minutes and 2 h. A size gets
    the largest unit in which it is a whole number; one that has it already
    stays as it is written.
-#}
{% macro settled_measures(text) -%}
{%- set clock = '\\b\\d{1,2}(?::\\d\\d)? ?[ap][.]?m\\b[.]?|(?:上午|早上|凌晨|中午|下午|晚上|傍晚)(?:\\d{1,2}|[一二两三四五六七八九十]{1,2})(?:点(?:半|一刻|三刻|\\d{1,2}分)?|:\\d\\d)|\\bhalf past (?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\\b' -%}
{%- set families = [
    ['kb|kilobytes?', 1, 'mb|megabytes?', 1024, 'gb|gigabytes?', 1048576, 'tb|terabytes?', 1073741824],
    ['ms|milliseconds?|毫秒', 1, 's|secs?|seconds?|秒', 1000, 'mins?|minutes?|分钟', 60000, 'h|hrs?|hours?|小时', 3600000],
    ['cm|厘米', 1, 'm|met(?:er|re)s?|米', 100, 'km|kilomet(?:er|re)s?|公里|千米', 100000],
    ['g|grams?|克', 1, 'kg|kilos?|kilograms?|公斤|千克', 1000],
] -%}
{%- set names = [['KB', 'MB', 'GB', 'TB'], ['ms', 's', 'min', 'h'], ['cm', 'm', 'km'], ['g', 'kg']] -%}
{%- set units = families | map('select', 'string') | map('join', '|') | join('|') -%}
list_reduce(
    list_prepend(
        regexp_replace({{ text }}, '\b0(\d:\d\d)\b', '\1', 'g'),
        list_concat(
            regexp_extract_all({{ text }}, '(?i){{ clock }}'),
            regexp_extract_all(
                {{ text }}, '(?i)\b\d+(?:[.]\d+)? ?(?:{{ units }})(?:\b|$)'
            )
        )
    ),
    lambda settled, found: replace(
        settled,
        found,
        case
            when regexp_matches(found, '(?i)^(?:{{ clock }})$')
                then {{ clock_time('found') }}
            {%- for family in families %}
            when regexp_matches(
                found, '(?i)\d ?(?:{{ family | select('string') | join('|') }})$'
            )
                then {{ settled_size('found', family, names[loop.index0]) }}
            {%- endfor %}
            else found
        end
    )
)
{%- endmacro %}
