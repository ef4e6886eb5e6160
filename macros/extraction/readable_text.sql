{#-
    The part of a message that can be read as the user's own statements.
    Blocks that some tool put there (a recalled memory block above all), fenced
    and indented code, stack traces, log lines, block quotes and table rows go;
    the rest keeps its line breaks.
-#}
{% macro readable_text(content) %}
    {{- return(adapter.dispatch('readable_text', 'ebbing')(content)) -}}
{% endmacro %}

{% macro default__readable_text(content) %}
{%- set tags = 'system-reminder|memory|memories|command-[a-z]+'
    ~ '|local-command-[a-z]+|task-notification|context|documents?' -%}
{%- set steps = [
    ('\\r\\n?', '\\n'),
    ('[\\x00-\\x08\\x0b-\\x1f\\x{e000}-\\x{f8ff}]', ' '),
    ('(?is)<ebbing-memories\\b.*?(?:</ebbing-memories\\s*>|\\z)', '\\n'),
    ('(?is)<(?:' ~ tags ~ ')\\b[^>]*>.*?(?:</(?:' ~ tags ~ ')\\s*>|\\z)', '\\n'),
    ('(?ms)^[ \\t]*```.*?(?:^[ \\t]*```[^\\n]*$|\\z)', '\\n'),
    ('(?ms)^[ \\t]*~~~.*?(?:^[ \\t]*~~~[^\\n]*$|\\z)', '\\n'),
    ('(?s)```.*?(?:```|\\z)', ' '),
    ('Traceback \\(most recent call last\\):(?:\\n[ \\t][^\\n]*)*', '\\n'),
    ('(?m)^(?: {4}|\\t)[^\\n]*$', ''),
    ('(?m)^\\s*>[^\\n]*$', ''),
    ('(?m)^\\s*\\|[^\\n]*$', ''),
    ('(?m)^\\s*(?:at \\S+\\(|[\\w.]*(?:Error|Exception):)[^\\n]*$', ''),
    ('(?m)^\\[?\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:[^\\n]*$', ''),
    ('(?m)^[^\\n]*[;{}]\\s*$', ''),
    ('[\\x{2018}\\x{2019}]', "''"),
] -%}
{%- set text = namespace(sql=content) -%}
{%- for pattern, replacement in steps -%}
    {%- set text.sql = "regexp_replace(" ~ text.sql ~ ", '" ~ pattern
        ~ "', e'" ~ replacement ~ "', 'g')" -%}
{%- endfor -%}
{{ text.sql }}
{%- endmacro %}
