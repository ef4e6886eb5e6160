{#- A masked text with its opaque spans back in place (see masked_text). -#}
{% macro unmasked_text(text, spans) %}
    {{- return(adapter.dispatch('unmasked_text', 'ebbing')(text, spans)) -}}
{% endmacro %}

{% macro default__unmasked_text(text, spans) -%}
case
    when regexp_matches({{ text }}, '[\x{e000}-\x{f76f}]')
        then list_reduce(
            list_transform(
                {{ spans }},
                lambda span, position: struct_pack(
                    mark := chr((57343 + least(position, 6000))::integer),
                    span := span
                )
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
