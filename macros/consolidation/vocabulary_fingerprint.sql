{#-
    Changes whenever a row of the seeds comparison_words or pair_rules does:
    what was read under other words and rules is read anew.
-#}
{% macro vocabulary_fingerprint() -%}
    (
        select bit_xor(seed_rows.row_hash)::varchar
        from (
            select hash(words.word, words.role, words.canonical) as row_hash
            from {{ ref('comparison_words') }} as words
            union all
            select hash(rules.rule, rules.pair_class, rules.reason)
            from {{ ref('pair_rules') }} as rules
        ) as seed_rows
    )
{%- endmacro %}
