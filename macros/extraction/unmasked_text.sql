{#- A masked text with its opaque spans back in place (see masked_text). -#}
{% macro unmasked_text(text, spans) %}
    {{- return(adapter.dispatch('unmasked_text', 'ebbing')(text, spans)) -}}
{% endmacro %}

{% macro default__unmasked_text(text, spans) -%}
{%- set marks = 'regexp_extract_all(' ~ text ~ ", '[\\x{e000}-\\x{f76f}]')" -%}
case
    when regexp_matches({{ text }}, '[\x{e000}-\x{f76f}]')
        then list_reduce(
            list_transform(
                list_zip(
                    {{ marks }},
                    list_select({{ spans }}, list_transform(
                        {{ marks }}, lambda mark: unicode(mark) - 57343
                    ))
                ),
                lambda pair: struct_pack(mark := pair[1], span := pair[2])
            ),
            lambda done, next: struct_pack(
                mark := '',
                span := replace(done.span, next.mark, next.span)
            ),
            struct_pack(mark := '', span := {{ text }})
        ).span
    else {{ text }}
end
{%- endmacro %}
