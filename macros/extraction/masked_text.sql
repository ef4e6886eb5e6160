{#-
    A text with each of its opaque spans replaced by one private character, so
    that neither the splitter nor a rule looks inside. unmasked_text undoes it.
    Each part gets a mark, the last one too, whose mark goes: what a lambda
    takes from outside, the spans say, is copied for each of its elements.
-#}
{% macro masked_text(text) %}
    {{- return(adapter.dispatch('masked_text', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__masked_text(text) -%}
left(
    array_to_string(
        list_transform(
            string_split_regex({{ text }}, '{{ opaque_span_pattern() }}'),
            lambda part, position:
                part || chr((57343 + least(position, 6000))::integer)
        ),
        ''
    ),
    -1
)
{%- endmacro %}
