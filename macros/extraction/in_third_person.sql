{#-
    A captured part of a user's statement, told about the user: "my wife" is
    "their wife", 我 is 用户.
-#}
{% macro in_third_person(text) %}
    {{- return(adapter.dispatch('in_third_person', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__in_third_person(text) %}
{%- set steps = [
    ("(?i)\\b(?:i|we)(?:'m| am|'re| are)\\b", 'they are'),
    ("(?i)\\b(?:i|we)(?:'ve| have)\\b", 'they have'),
    ("(?i)\\b(?:i|we)(?:'d)\\b", 'they would'),
    ("(?i)\\b(?:i|we)(?:'ll)\\b", 'they will'),
    ('(?i)\\bi was\\b', 'they were'),
    ('\\b(?:I|i|we|We)\\b', 'they'),
    ('(?i)\\b(?:my|our)\\b', 'their'),
    ('\\b(?:me|us)\\b', 'them'),
    ('(?i)\\b(?:mine|ours)\\b', 'theirs'),
    ('(?i)\\b(?:myself|ourselves)\\b', 'themselves'),
    ('我们', '他们'),
    ('我', '用户'),
] -%}
{{ replaced_in_turn(text, steps) }}
{%- endmacro %}
