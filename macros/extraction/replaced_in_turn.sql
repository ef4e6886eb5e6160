{#-
    A text after a list of (pattern, replacement) steps, each replacing all that
    it matches. A control or private character in a replacement is written as in
    a pattern (\n, \x{f8fe}), though RE2 reads it in a pattern alone.
-#}
{% macro replaced_in_turn(text, steps) %}
    {{- return(adapter.dispatch('replaced_in_turn', 'ebbing')(text, steps)) -}}
{% endmacro %}

{% macro default__replaced_in_turn(text, steps) -%}
{%- set marks = {
    '\\n': 10,
    '\\x{1e}': 30,
    '\\x{1f}': 31,
    '\\x{f8f9}': 63737,
    '\\x{f8fa}': 63738,
    '\\x{f8fb}': 63739,
    '\\x{f8fc}': 63740,
    '\\x{f8fe}': 63742,
} -%}
{%- set done = namespace(sql=text) -%}
{%- for pattern, replacement in steps -%}
    {%- set written = namespace(sql=text_literal(replacement)) -%}
    {%- for mark, code in marks.items() -%}
        {%- set written.sql = written.sql.replace(mark, "' || chr(" ~ code ~ ") || '") -%}
    {%- endfor -%}
    {%- set done.sql = 'regexp_replace(' ~ done.sql ~ ', ' ~ text_literal(pattern)
        ~ ', ' ~ written.sql ~ ", 'g')" -%}
{%- endfor -%}
{{ done.sql }}
{%- endmacro %}
