{#-
    Splits a sentence where the user starts a second statement about themselves
    ("my name is Lin and I live in Leeds", "我叫小林，我住在杭州"), as a list.
    "My sister and I" stays whole, and so does "you are wrong, I ...".
-#}
{% macro clauses(sentence) %}
    {{- return(adapter.dispatch('clauses', 'ebbing')(sentence)) -}}
{% endmacro %}

{% macro default__clauses(sentence) -%}
list_filter(
    list_transform(
        string_split(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            {{ sentence }},
                            '(?i)\b((?:my|our) \w+(?: \w+)?) and i\b',
                            '\1' || chr(63741) || 'and I', 'g'
                        ),
                        '(错了|不对|更正|纠正|更正一下|纠正一下)[，,] ?我',
                        '\1' || chr(63740) || '我', 'g'
                    ),
                    '(?i)(?:,\s*|\s+)(?:and|but)\s+((?:i|we|my|our)\b)',
                    chr(31) || '\1', 'g'
                ),
                '[，,]\s*(?:而且|并且|但是?|还有|另外|不过)?(我)',
                chr(31) || '\1', 'g'
            ),
            chr(31)
        ),
        lambda clause: trim(
            replace(replace(clause, chr(63741), ' '), chr(63740), '，')
        )
    ),
    lambda clause: clause != ''
)
{%- endmacro %}
