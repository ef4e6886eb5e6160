{#-
    A memory text that can be read later: where it leans on the day it was said
    ("tomorrow", "last year", 今天), that day is written behind it.
-#}
{% macro with_said_on(text, occurred_at) %}
    {{- return(adapter.dispatch('with_said_on', 'ebbing')(text, occurred_at)) -}}
{% endmacro %}

{% macro default__with_said_on(text, occurred_at) -%}
case
    when regexp_matches(
        {{ text }},
        '(?i)\b(?:today|tonight|yesterday|tomorrow|(?:last|next|this) (?:week|weekend|month|year|spring|summer|autumn|fall|winter|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:days?|weeks?|months?|years?) ago)\b'
    )
        then {{ text }} || ' (said on ' || strftime({{ occurred_at }}, '%Y-%m-%d') || ')'
    when regexp_matches(
        {{ text }},
        '今天|今晚|今早|今年|昨天|昨晚|前天|明天|后天|明年|去年|前年|上周|下周|这周|本周|上个?月|下个?月|这个月|周末|刚刚|刚才|[天周月年]前'
    )
        then {{ text }} || '（' || strftime({{ occurred_at }}, '%Y-%m-%d') || '）'
    else {{ text }}
end
{%- endmacro %}
