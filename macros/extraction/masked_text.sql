{#-
    A text with each of its opaque spans replaced by one private character, so
    that neither the splitter nor a rule looks inside. unmasked_text undoes it.
-#}
{% macro masked_text(text, spans) %}
    {{- return(adapter.dispatch('masked_text', 'ebbing')(text, spans)) -}}
{% endmacro %}

{% macro default__masked_text(text, spans) -%}
array_to_string(
    list_transform(
        string_split_regex({{ text }}, '{{ opaque_span_pattern() }}'),
        lambda part, position:
            part || case
                when position <= len({{ spans }})
                    then chr((57343 + least(position, 6000))::integer)
                else ''
            end
    ),
    ''
)
{%- endmacro %}
