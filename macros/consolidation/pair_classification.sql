{#-
    What a later text is to an earlier one that is close to it in meaning:
    the same memory, an update of it, or a different one. One row a pair.

    pairs_relation:  earlier_id, later_id, earlier_content_hash,
                     later_content_hash, similarity (cosine)
    tokens_relation: what significant_tokens gives, or a table of it

    same       nothing that matters differs
    update     subject and predicate are shared, and one value after them was
               replaced by another of its kind, or the whole was negated
    different  anything else: a wrong merge is worse than a missed one
-#}
{% macro pair_classification(pairs_relation, tokens_relation) -%}
{%- set longest_value = var('update_value_words', 4) -%}
{%- set longest_han_value = var('update_value_characters', 6) -%}
{%- set least_similarity = var('same_similarity', 0.98) -%}
with paired as (

    select
        pairs.earlier_id,
        pairs.later_id,
        pairs.similarity,
        earlier,
        later,
        {{ common_prefix_length('earlier.words', 'later.words') }} as shared_start,
        least(
            {{ common_prefix_length(
                'list_reverse(earlier.words)', 'list_reverse(later.words)'
            ) }},
            least(len(earlier.words), len(later.words)) - shared_start
        ) as shared_end,
    from {{ pairs_relation }} as pairs
    inner join {{ tokens_relation }} as earlier
        on pairs.earlier_content_hash = earlier.content_hash
    inner join {{ tokens_relation }} as later
        on pairs.later_content_hash = later.content_hash

),

differing as (

    select
        *,
        earlier.kinds[shared_start + 1:len(earlier.words) - shared_end]
            as earlier_kinds,
        later.kinds[shared_start + 1:len(later.words) - shared_end]
            as later_kinds,
        earlier.words[shared_start + 1:len(earlier.words) - shared_end]
            as earlier_words,
        later.words[shared_start + 1:len(later.words) - shared_end]
            as later_words,
        array_to_string(
            earlier.surfaces[shared_start + 1:len(earlier.words) - shared_end], ' '
        ) as earlier_tokens,
        array_to_string(
            later.surfaces[shared_start + 1:len(later.words) - shared_end], ' '
        ) as later_tokens,
        -- Predicates that both share, before the first difference.
        case
            when earlier.copula_at = later.copula_at
                and earlier.copula_at <= shared_start then earlier.copula_at
        end as copula_at,
        case
            when earlier.quantity_at = later.quantity_at
                and earlier.quantity_at <= shared_start then earlier.quantity_at
        end as quantity_at,
        case
            when earlier.count_at = later.count_at
                and earlier.count_at <= shared_start then earlier.count_at
        end as count_at,
        case
            when earlier.functional_at = later.functional_at
                and earlier.functional_at <= shared_start
                then earlier.functional_at
        end as functional_at,
    from paired

),

framed as (

    select
        *,
        len(earlier_kinds) > 0 and len(later_kinds) > 0 as is_replacement,
        len(earlier_kinds) > 0 and len(later_kinds) > 0
            and list_has_all(
                ['number', 'date', 'unit'], list_concat(earlier_kinds, later_kinds)
            ) as is_numeric,
        -- Only one thing can be so at a time: "lives in", "the deadline is".
        case
            when functional_at is not null then functional_at
            when least(earlier.noun_at, earlier.named_noun_at) <= copula_at
                then copula_at
        end as value_at,
        -- Of these only a name, number or date is a value: "the manager is".
        case
            when functional_at is not null
                then coalesce(earlier.named_predicate_at = functional_at, false)
            else coalesce(earlier.noun_at > copula_at, true)
        end as is_named_value,
        -- A number that its unit follows measures; a bare one may identify.
        coalesce(
            list_contains(earlier_kinds, 'unit')
            or earlier.kinds[len(earlier.words) - shared_end + 1] = 'unit',
            false
        ) as is_measure,
        coalesce(
            shared_start is distinct from copula_at
            and (
                earlier.kinds[shared_start] = 'identifier'
                -- "Day 3", but not "$ 3" or "16 GB 3".
                or (
                    earlier.kinds[shared_start] = 'unit'
                    and not regexp_matches(
                        earlier.surfaces[shared_start], '^[$€£¥]$'
                    )
                    and earlier.kinds[shared_start - 1] is distinct from 'number'
                )
            ),
            false
        ) as is_identifier,
    from differing

),

valued as (

    select
        *,
        shared_start - value_at as value_offset,
        {{ value_class('earlier_kinds') }} as earlier_class,
        {{ value_class('later_kinds') }} as later_class,
        {{ value_class('earlier.kinds[value_at + 1:]') }} as earlier_value_class,
        {{ value_class('later.kinds[value_at + 1:]') }} as later_value_class,
    from framed

),

ruled as (

    select
        *,
        case
            when len(earlier.words) = 0 or len(later.words) = 0 then 'nothing to compare'
            when {{ without_subject('earlier.statement') }}
                = {{ without_subject('later.statement') }} then 'same words'
            -- The end moved to the front: "on Fridays the user deploys".
            when length(earlier.statement) = length(later.statement)
                and contains(
                    ' ' || earlier.statement || ' ' || earlier.statement || ' ',
                    ' ' || later.statement || ' '
                ) then 'same words'
            -- "sells clothes", "sells her clothes", if they are close as well.
            when similarity >= {{ least_similarity }}
                and earlier.bare_statement = later.bare_statement
                and (
                    earlier.bare_statement = earlier.statement
                    or later.bare_statement = later.statement
                ) then 'same words'
            when earlier.polarity != later.polarity
                and 'mixed' not in (earlier.polarity, later.polarity)
                and (
                    earlier.words = later.words
                    or (
                        len(earlier.core) > 0
                        and earlier.core = later.core
                        and (
                            earlier.core = earlier.words
                            or later.core = later.words
                        )
                    )
                ) then 'polarity'
            when later.rename_at > 0
                and earlier.is_naming
                and earlier.words[
                    coalesce(earlier.functional_at, earlier.copula_at) + 1:
                ] = later.words[:later.rename_at] then 'rename'
            when earlier.polarity != 'positive' or later.polarity != 'positive'
                then 'other'
            when not is_replacement or is_identifier then 'other'
            when is_numeric
                and len(earlier_kinds) <= {{ longest_value }}
                and len(later_kinds) <= {{ longest_value }}
                and (
                    value_offset <= 2
                    or (
                        copula_at is not null
                        and (
                            (is_measure and shared_start - copula_at <= 2)
                            or list_has_all(
                                ['number', 'date', 'unit'],
                                earlier.kinds[copula_at + 1:shared_start]
                            )
                        )
                    )
                    or (
                        (
                            shared_start = count_at
                            -- A bare number may be a label ("run 14", "bus 12"),
                            -- but not with a unit, nor after a name ("Python 3").
                            or (
                                shared_start - coalesce(count_at, quantity_at) <= 3
                                and (
                                    is_measure
                                    or (
                                        earlier.kinds[shared_start] = 'name'
                                        and shared_start
                                            > coalesce(count_at, quantity_at)
                                    )
                                )
                            )
                        )
                        and not list_contains(earlier_kinds, 'date')
                        and not list_contains(later_kinds, 'date')
                    )
                ) then 'number'
            when value_offset <= 2
                and not list_has_any(earlier_words, later_words)
                and earlier_class = later_class
                and earlier_value_class = later_value_class
                and (not is_named_value or earlier_value_class in ('name', 'number'))
                and abs(len(earlier_kinds) - len(later_kinds)) <= 2
                -- "moved to Berlin in 2015" and "to Munich in 2019" both happened.
                and not (
                    earlier_class = 'name'
                    and not list_contains(earlier_kinds, 'surname')
                    and list_has_any(earlier_kinds, ['number', 'date'])
                    and list_has_any(later_kinds, ['number', 'date'])
                )
                -- A plain word alone is a value; a phrase may say anything.
                and (
                    earlier_value_class != 'word'
                    or (
                        len(earlier_kinds) = 1
                        and len(later_kinds) = 1
                        and shared_end = 0
                    )
                )
                and greatest(len(earlier_kinds), len(later_kinds)) <= case
                    when list_has_any(earlier_kinds, ['han', 'surname', 'place'])
                        then {{ longest_han_value }}
                    else {{ longest_value }}
                end
                then 'value'
            -- "uses Vim as the primary editor"
            when quantity_at = shared_start
                and earlier_class = 'name'
                and later_class = 'name'
                and shared_end > 0
                and earlier.noun_at > shared_start + len(earlier_kinds)
                and earlier.words[len(earlier.words) - shared_end + 1] = 'as'
                then 'value'
            else 'other'
        end as rule,
    from valued

),

classified as (

    select
        earlier_id,
        later_id,
        case
            when rule = 'same words' then 'same'
            when rule in ('polarity', 'rename', 'number', 'value') then 'update'
            else 'different'
        end as pair_class,
        earlier_tokens,
        later_tokens,
        case rule
            when 'same words' then 'differs in nothing that matters'
            when 'nothing to compare' then 'has no words to compare'
            when 'polarity' then 'differs in a negation: '
                || earlier.polarity || ' -> ' || later.polarity
            when 'rename' then 'renames what the earlier names'
            when 'number' then 'differs in a '
                || case
                    when list_has_all(['unit'], list_concat(earlier_kinds, later_kinds))
                        then 'unit'
                    when list_contains(earlier_kinds, 'date') then 'date'
                    else 'number'
                end
                || ': ' || earlier_tokens || ' -> ' || later_tokens
            when 'value' then 'differs in the value of one attribute: '
                || earlier_tokens || ' -> ' || later_tokens
            else 'differs in what it is about, or in more than one value'
        end as reason,
    from ruled

)

select * from classified
{%- endmacro %}
