{#-
    The keys under which a text is compared: two texts can be the same, or one
    an update of the other, only if they share a key. Each key is what one rule
    of pair_classification asks to be equal, so blocking misses no pair that
    the rules would join, and its cost follows the texts that look alike.

    `tokens` is a relation alias with the columns of significant_tokens. Keys
    are hashes, as there are dozens of each text.
-#}
{% macro block_keys(tokens) -%}
{%- set words = var('update_value_words', 4) -%}
{%- set characters = [words, var('update_value_characters', 6)] | max -%}
    list_transform(
        list_distinct(list_filter(
            list_concat(
                [
                    'bag ' || nullif({{ token_bag(tokens ~ '.statement') }}, ''),
                    'bag '
                    || nullif({{ token_bag(tokens ~ '.bare_statement') }}, ''),
                    'words '
                    || nullif(array_to_string({{ tokens }}.words, ' '), ''),
                    'words '
                    || nullif(array_to_string({{ tokens }}.core, ' '), ''),
                    'name ' || {{ leading_words(tokens, 'rename_at') }},
                    case
                        when {{ tokens }}.is_naming
                            then 'name ' || array_to_string(
                                {{ tokens }}.words[
                                    coalesce(
                                        {{ tokens }}.functional_at,
                                        {{ tokens }}.copula_at
                                    ) + 1:
                                ],
                                ' '
                            )
                    end
                ],
                {{ frame_keys(
                    tokens, 'functional_at', 'takes one', 2, characters
                ) }},
                {{ frame_keys(tokens, 'quantity_at', 'measures', 3, words) }},
                {{ frame_keys(tokens, 'count_at', 'counts', 3, words) }},
                -- "is" says anything: a value follows only after certain
                -- nouns, or where numbers stand.
                case
                    when
                        least(
                            {{ tokens }}.noun_at, {{ tokens }}.named_noun_at
                        ) <= {{ tokens }}.copula_at
                        or list_has_any(
                            {{ tokens }}.kinds[{{ tokens }}.copula_at + 1:],
                            ['number', 'date', 'unit']
                        )
                        then {{ frame_keys(
                            tokens, 'copula_at', 'is', 4, characters
                        ) }}
                end
            ),
            lambda block_key: block_key is not null
        )),
        lambda block_key: hash(block_key)
    )
{%- endmacro %}
