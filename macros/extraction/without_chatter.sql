{#-
    A memory text without what only trailed behind it ("by the way", "thanks",
    谢谢) and without its closing mark. What follows from the statement stays:
    "closed on Mondays, so deploy on Tuesdays".
-#}
{% macro without_chatter(text) %}
    {{- return(adapter.dispatch('without_chatter', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__without_chatter(text) -%}
{%- set steps = [
    ('(?i)[,;]?\\s+(?:by the way|btw|fyi|keep (?:that|this|it) in mind|please remember (?:that|it)'
        ~ '|just so you know|if that (?:matters|helps)|though|please|pls|thanks|thank you|lol|haha'
        ~ '|ok|okay|as ever|as always|as usual|obviously|of course|anyway)[.! ]*$', ''),
    ('[，,](?:谢谢|哈哈|麻烦你?记|记一下|记住|你记|请记|帮我|请帮|下次注意).*$', ''),
    ('[\\s.。!！;；,，:：…~～]+$', ''),
] -%}
{{ replaced_in_turn(text, steps) }}
{%- endmacro %}
