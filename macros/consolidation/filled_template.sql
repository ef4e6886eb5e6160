{#-
    SQL of a template such as "{1} {2}", with what the pattern's groups capture
    of a text in the places of their numbers.
-#}
{% macro filled_template(template, text, pattern) -%}
    {%- set written = namespace(parts=[]) -%}
    {%- for piece in template.split('{') -%}
        {%- if '}' in piece -%}
            {%- set number, rest = piece.split('}') -%}
            {%- do written.parts.append(
                'regexp_extract(' ~ text ~ ', ' ~ pattern ~ ', ' ~ number ~ ')'
            ) -%}
            {%- if rest -%}{%- do written.parts.append(text_literal(rest)) -%}{%- endif -%}
        {%- elif piece -%}
            {%- do written.parts.append(text_literal(piece)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ written.parts | join(' || ') if written.parts else "''" }}
{%- endmacro %}
