{#-
    A memory text that can be read later: where it leans on the day of its saying
    ("tomorrow", "last year", 今天), what it means and that day stand behind it.
    Unchanged where it leans on none, or where the day is not known (said_at null).
-#}
{% macro with_said_on(text, said_at) %}
    {{- return(adapter.dispatch('with_said_on', 'ebbing')(text, said_at)) -}}
{% endmacro %}

{% macro default__with_said_on(text, said_at) -%}
{%- set vague = '(?i)\\b(?:(?:last|next|this) (?:spring|summer|autumn|fall|winter)'
    ~ '|recently|(?:days?|weeks?|months?|years?) ago|the other day|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b' -%}
{%- set meant = period_meant(text, '(' ~ said_at ~ ')::date') -%}
case
    when {{ said_at }} is null then {{ text }}
    else {{ text }} || list_transform(
        [{{ meant }}],
        lambda meant: case
            when
                meant.first_day = ({{ said_at }})::date
                and meant.last_day = ({{ said_at }})::date
                and regexp_matches({{ text }}, '\p{Han}')
                then '（' || strftime({{ said_at }}, '%Y-%m-%d') || '）'
            when meant is not null and regexp_matches({{ text }}, '\p{Han}')
                then '（' || {{ period_text('meant', '至') }}
                    || '，' || strftime({{ said_at }}, '%Y-%m-%d') || '说）'
            when meant is not null
                then ' (' || {{ period_text('meant', ' to ') }}
                    || ', said on ' || strftime({{ said_at }}, '%Y-%m-%d') || ')'
            when regexp_matches({{ text }}, '{{ vague }}')
                then ' (said on ' || strftime({{ said_at }}, '%Y-%m-%d') || ')'
            when regexp_matches({{ text }}, '周末|刚刚|刚才|[天周月年]前|最近')
                then '（' || strftime({{ said_at }}, '%Y-%m-%d') || '说）'
            else ''
        end
    )[1]
end
{%- endmacro %}
