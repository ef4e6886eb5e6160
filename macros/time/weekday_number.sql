{#- The number of a weekday, from Monday (1) to Sunday (7): 'Friday', 'fri', '五'. -#}
{% macro weekday_number(word) %}
    {{- return(adapter.dispatch('weekday_number', 'ebbing')(word)) -}}
{% endmacro %}

{% macro default__weekday_number(word) -%}
case
    when {{ word }} = '天' then 7
    when {{ word }} = '' then null
    else nullif(
        greatest(
            list_position(
                ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
                lower(left({{ word }}, 3))
            ),
            list_position(['一', '二', '三', '四', '五', '六', '日'], {{ word }})
        ), 0
    )::integer
end
{%- endmacro %}
