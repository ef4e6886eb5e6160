{#-
    The part of a message that can be read as the user's own statements.
    Blocks that some tool put there (a recalled memory block above all), fenced
    and indented code, stack traces, log lines, block quotes, table rows, pasted letters and mails go;
    the rest keeps its line breaks. Of a text longer than var
    longest_read_characters the beginning and the end are read.
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
    ('(?ims)^from: [^\\n]+\\n(?:(?:to|cc|date|sent|subject): [^\\n]*\\n)+.*\\z', ''),
    ('(?ims)^dear [^\\n,:]{2,40}[,:].*?(?:^(?:yours|sincerely|best|kind regards|regards|love)\\b[^\\n]*(?:\\n[^\\n]+)?|\\z)', ''),
    ('(?ms)^(?:尊敬的|敬爱的|亲爱的)[^\\n，：:,]{1,20}[，：:,].*?(?:此致[^\\n]*(?:\\n[^\\n]+)?|\\z)', ''),
    ('[\\x{2018}\\x{2019}]', "'"),
] -%}
{{ replaced_in_turn(both_ends(content, var('longest_read_characters')), steps) }}
{%- endmacro %}
