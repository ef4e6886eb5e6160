{#- The reason of a rule with what differs filled in, from one text to the other. -#}
{% macro pair_reason(template, pair, from_text, to_text) -%}
    replace(replace(replace(replace(replace(
        {{ template }},
        '{part}', {{ pair }}.part),
        '{earlier_polarity}', {{ pair }}.{{ from_text }}.polarity),
        '{later_polarity}', {{ pair }}.{{ to_text }}.polarity),
        '{earlier}', {{ pair }}.{{ from_text }}_tokens),
        '{later}', {{ pair }}.{{ to_text }}_tokens)
{%- endmacro %}
