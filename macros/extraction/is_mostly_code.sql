{#-
    Whether a text is a piece of a program and not prose: more than one
    character in twelve is a bracket, an operator or a semicolon.
-#}
{% macro is_mostly_code(text) -%}
    12 * length(regexp_replace(
        {{ text }}, '[^{}()\[\]<>=;$|\\&]', '', 'g'
    )) > length({{ text }})
{%- endmacro %}
