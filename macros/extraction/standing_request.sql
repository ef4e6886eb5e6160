{#-
    What a polite request asks for, as a plain instruction: "Can you always use
    British spelling?" is "always use British spelling", "I'd like you to answer
    in French" is "answer in French", 能不能以后都用中文回答？ is 以后都用中文回答.
    A question to do a thing once stays a question, and null comes back.
-#}
{% macro standing_request(statement) %}
    {{- return(adapter.dispatch('standing_request', 'ebbing')(statement)) -}}
{% endmacro %}

{% macro default__standing_request(statement) -%}
{%- set asked = '(?i)^(?:please,? )?(?:(?:can|could|will|would) you (?:please |maybe |kindly |mind )?'
    ~ '((?:always|never|from now on|in future|going forward|stop|not|avoid)\\b.*?'
    ~ '|[^?]+? (?:from now on|in (?:the )?future|going forward|every time|each time|whenever'
    ~ '|by default)\\b[^?]*?)'
    ~ "|i(?:'d| would)? (?:want|like|need|expect|love|prefer) (?:for )?you to (.+?))"
    ~ '(?:,? please)?[\\s?.!]*$' -%}
{%- set asked_zh = '^(?:请问)?(?:你)?(?:能不能|可不可以|可以不可以|能否|可否|可以|能|麻烦你?'
    ~ '|希望你|我希望你|我想让你|我要你)(?:请)?(?:你)?'
    ~ '((?:以后|今后|从现在|每次|每回|都|一直|总是|始终|永远|别|不要|先|用|回答|回复|解释|说话).*?)'
    ~ '[\\s吗么吧呢？?。！!]*$' -%}
nullif(trim(concat(
    regexp_extract({{ statement }}, {{ text_literal(asked) }}, 1),
    regexp_extract({{ statement }}, {{ text_literal(asked) }}, 2),
    regexp_extract({{ statement }}, {{ text_literal(asked_zh) }}, 1)
)), '')
{%- endmacro %}
