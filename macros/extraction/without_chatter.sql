{#-
    A memory text without what only trailed behind it ("by the way", "so no
    prawns please", 谢谢) and without its closing mark.
-#}
{% macro without_chatter(text) %}
    {{- return(adapter.dispatch('without_chatter', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__without_chatter(text) -%}
regexp_replace(
    regexp_replace(
        regexp_replace(
            regexp_replace(
                {{ text }},
                '(?i)(?:,\s*(?:so|you(?:''ll| will)?|because)\s.*|\s+(?:so (?:no|skip|please|keep|don''t|do not|i|we|that|you|be)\b|because\b).*)$',
                ''
            ),
            '(?i)[,;]?\s+(?:by the way|btw|fyi|keep (?:that|this|it) in mind|please remember (?:that|it)|just so you know|if that (?:matters|helps)|though|please|thanks|thank you|lol|haha|ok|as ever|as always|as usual)[.! ]*$',
            ''
        ),
        '[，,](?:所以|因此|谢谢|哈哈|麻烦|记一下|记住|你记|请记|帮我|请帮|下次注意|[点推].{0,6}的时候).*$',
        ''
    ),
    '[\s.。!！;；,，:：…~～]+$',
    ''
)
{%- endmacro %}
