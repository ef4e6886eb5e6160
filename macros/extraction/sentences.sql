{#-
    Splits a text into its sentences, as a list. English and Chinese marks and
    line breaks end one; the dots of 'e.g.', '3.5', 192.168.7.1 and src/main.py
    do not. A question hung on a statement ("I'm on Windows 11, how do I ...")
    is a sentence of its own, so that the statement can be kept.
-#}
{% macro sentences(text) %}
    {{- return(adapter.dispatch('sentences', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__sentences(text) %}
{%- set steps = [
    ('([a-z,])\\n([a-z])', '\\1 \\2'),
    ('(?i)\\b(e\\.g|i\\.e|etc|vs|approx|dr|mr|mrs|ms|prof|st|cf|fig)\\.(\\s)',
        '\\1\\x{f8fe}\\2'),
    ('(?i)\\bno\\. (\\d)', 'no\\x{f8fe} \\1'),
    ('\\.\\s+([^.!?\\n]{3,80} (?:fixes|fixed|solves|cures|helps with) (?:it|that|this)\\b)', ': \\1'),
    ('(?m)^\\s*(?:[-*•]|\\d{1,2}[.)、])\\s+', ''),
    ('([.!?]+["\')\\]]*)\\s+', '\\1\\x{1f}'),
    ('([。！？；!?]+[”」』）]*)', '\\1\\x{1f}'),
    (';\\s+', ';\\x{1f}'),
    ('(?i),\\s+((?:how|what|why|where|which|can you|could you|do you|is there|is (?:that|this|it)|does (?:that|this|it)|should i|any idea|right\\?)\\b)',
        '\\x{1f}\\1'),
    ('[，,]\\s*((?:怎么|怎样|如何|有什么|有没有|能不能|请问|哪)[^，。]*)',
        '\\x{1f}\\1'),
    ('\\s*\\n\\s*', '\\x{1f}'),
    ('\\x{f8fe}', '.'),
] -%}
list_filter(
    list_transform(
        string_split({{ replaced_in_turn(text, steps) }}, chr(31)),
        lambda sentence:
            trim(regexp_replace(sentence, '[\s\x{3000}]+', ' ', 'g'))
    ),
    lambda sentence: sentence != ''
)
{%- endmacro %}
