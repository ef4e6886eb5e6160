{#-
    The first clause of a text, without the comment after it ("lives in
    Hangzhou, close to the lake"); null where there is but one. A comma inside
    a number is none.
-#}
{% macro main_clause(content) -%}
    nullif(
        regexp_extract({{ content }}, '^(.+?)(?:[,;.] |[，；。]| [—–] )', 1), ''
    )
{%- endmacro %}
