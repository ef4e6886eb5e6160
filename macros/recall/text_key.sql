{#- By what an exact match is known: the text but for case and outer blanks. -#}
{% macro text_key(content) -%}
    {{ number_of('lower(trim(' ~ content ~ '))') }}
{%- endmacro %}
