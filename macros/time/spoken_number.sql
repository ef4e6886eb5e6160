{#- A number as it is said: 3, three, a, 三, 两, 十二. Null for any other word. -#}
{% macro spoken_number(word) %}
    {{- return(adapter.dispatch('spoken_number', 'ebbing')(word)) -}}
{% endmacro %}

{% macro default__spoken_number(word) -%}
list_transform(
    [lower({{ word }})],
    lambda word: coalesce(
        try_cast(word as integer),
        list_position([
            'one', 'two', 'three', 'four', 'five', 'six',
            'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'
        ], word)::integer,
        list_position([
            '一', '二', '三', '四', '五', '六', '七', '八', '九', '十',
            '十一', '十二', '十三', '十四', '十五', '十六', '十七', '十八', '十九', '二十',
            '二十一', '二十二', '二十三', '二十四', '二十五',
            '二十六', '二十七', '二十八', '二十九', '三十', '三十一'
        ], word)::integer,
        case
            when word in ('a', 'an') then 1
            when word in ('a couple of', '两') then 2
            when word = 'twenty' then 20
            when word = 'thirty' then 30
        end
    )
)[1]
{%- endmacro %}
