{#-
    Changes whenever what texts claim could: with the rows of the seeds
    attribute_patterns, attribute_words, attributes and comparison_words, or
    with a macro. A text that was read under another one is read anew.
-#}
{% macro attributes_fingerprint(patterns) -%}
    (
        '{{ local_md5(
            claim_clauses('texts')
            ~ attribute_claims('clauses', 'attributes', 'words', 'vocabulary', patterns)
        ) }}'
        || (
            select bit_xor(seed_rows.row_hash)::varchar
            from (
                select hash(attributes) as row_hash
                from {{ ref('attributes') }} as attributes
                union all
                select hash(words)
                from {{ ref('attribute_words') }} as words
            ) as seed_rows
        )
        || {{ vocabulary_fingerprint() }}
    )
{%- endmacro %}
