{#-
    A statement without the words that only open it: greetings, "by the way",
    "remember that", 另外, 记住. Rules are tried on the statement with and without.
-#}
{% macro without_lead_in(statement) %}
    {{- return(adapter.dispatch('without_lead_in', 'ebbing')(statement)) -}}
{% endmacro %}

{% macro default__without_lead_in(statement) -%}
regexp_replace(
    regexp_replace(
        {{ statement }},
        '(?i)^(?:(?:hey|hi|hello|ok|okay|so|well|also|and|but|oh|ah|thanks|sorry|yes|yeah|no|actually|quick intro|by the way|btw|fyi|for the record|for context|for your information|context|note|one more thing|just so you know|in case it matters|first of all|i should mention|i should say|i forgot to say|you should know|as i said|please remember|remember|please note|don''t forget|keep in mind|bear in mind)(?:,? that\b|[,:!.]| -)?\s+)+',
        ''
    ),
    '^(?:(?:另外|对了|顺便说一下|顺便提一下|顺便|嗯|好的|好|哦|哈哈|其实|你好|嗨|大家好|补充一下|补充|还有|首先|背景|说明一下|自我介绍一下|请记住|记住|别忘了|请你记住|帮我记住|帮我记一下|记一下|你要知道|你知道的|因为)[，,：:、！! ]*)+',
    ''
)
{%- endmacro %}
