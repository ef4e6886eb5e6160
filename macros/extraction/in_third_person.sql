{#-
    A captured part of a user's statement, told about the user: "my wife" is
    "their wife", 我 is 用户. Chinese 我们 stays, for it may hold others.
-#}
{% macro in_third_person(text) %}
    {{- return(adapter.dispatch('in_third_person', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__in_third_person(text) %}
{%- set steps = [
    ("(?i)\\b(?:i|we)(?:''m| am|''re| are)\\b", 'they are'),
    ("(?i)\\b(?:i|we)(?:''ve| have)\\b", 'they have'),
    ("(?i)\\b(?:i|we)(?:''d)\\b", 'they would'),
    ("(?i)\\b(?:i|we)(?:''ll)\\b", 'they will'),
    ('(?i)\\bi was\\b', 'they were'),
    ('\\b(?:I|i|we|We)\\b', 'they'),
    ('(?i)\\b(?:my|our)\\b', 'their'),
    ('\\b(?:me|us)\\b', 'them'),
    ('(?i)\\b(?:mine|ours)\\b', 'theirs'),
    ('(?i)\\b(?:myself|ourselves)\\b', 'themselves'),
    ('我们', '\\x{f8fb}'),
    ('我', '用户'),
    ('\\x{f8fb}', '我们'),
] -%}
{%- set told = namespace(sql=text) -%}
{%- for pattern, replacement in steps -%}
    {%- set told.sql = "regexp_replace(" ~ told.sql ~ ", '" ~ pattern
        ~ "', '" ~ replacement.replace('\\x{f8fb}', "' || chr(63739) || '")
        ~ "', 'g')" -%}
{%- endfor -%}
{{ told.sql }}
{%- endmacro %}
