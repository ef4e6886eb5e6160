{#-
    The keys under which a text is compared: two texts can be the same, or one
    an update of the other, only if they share a key. Each key is what one rule
    of pair_classification asks to be equal, so blocking misses no pair that
    the rules would join, and its cost follows the texts that look alike.

    `tokens` is a relation alias with the columns of significant_tokens.
-#}
{% macro block_keys(tokens) -%}
    {{ return(adapter.dispatch('block_keys', 'ebbing')(tokens)) }}
{%- endmacro %}

{% macro duckdb__block_keys(tokens) -%}
    list_filter(
        list_distinct([
            'bag ' || nullif({{ token_bag(tokens ~ '.statement') }}, ''),
            'bag ' || nullif({{ token_bag(tokens ~ '.bare_statement') }}, ''),
            'words ' || nullif(array_to_string({{ tokens }}.words, ' '), ''),
            'words ' || nullif(array_to_string({{ tokens }}.core, ' '), ''),
            'name ' || {{ leading_words(tokens, 'rename_at') }},
            case
                when {{ tokens }}.is_naming
                    then 'name ' || array_to_string(
                        {{ tokens }}.words[
                            coalesce(
                                {{ tokens }}.functional_at, {{ tokens }}.copula_at
                            ) + 1:
                        ],
                        ' '
                    )
            end,
            'takes one ' || {{ leading_words(tokens, 'functional_at') }},
            'measures ' || {{ leading_words(tokens, 'quantity_at') }},
            'counts ' || {{ leading_words(tokens, 'count_at') }},
            -- "is" says anything: a value follows only after certain nouns,
            -- or where numbers stand.
            case
                when
                    least(
                        {{ tokens }}.noun_at, {{ tokens }}.named_noun_at
                    ) <= {{ tokens }}.copula_at
                    or list_has_any(
                        {{ tokens }}.kinds[{{ tokens }}.copula_at + 1:],
                        ['number', 'date', 'unit']
                    )
                    then 'is ' || {{ leading_words(tokens, 'copula_at') }}
            end
        ]),
        lambda block_key: block_key is not null
    )
{%- endmacro %}
