{#-
    A memory text that says whose it is: in a log of several people the one who
    spoke stands in the place of User and 用户.
-#}
{% macro about_the_speaker(text, speaker) %}
    {{- return(adapter.dispatch('about_the_speaker', 'ebbing')(text, speaker)) -}}
{% endmacro %}

{% macro default__about_the_speaker(text, speaker) -%}
case
    when {{ speaker }} is null then {{ text }}
    when regexp_matches({{ text }}, '^User\b') then {{ speaker }} || substr({{ text }}, 5)
    when regexp_matches({{ text }}, '^[^.:]{1,30} User [a-z]')
        then replace({{ text }}, ' User ', ' ' || {{ speaker }} || ' ')
    when regexp_matches({{ text }}, '^(?:用户|[^，：]{1,12}用户)')
        then replace({{ text }}, '用户', {{ speaker }})
    else {{ text }}
end
{%- endmacro %}
