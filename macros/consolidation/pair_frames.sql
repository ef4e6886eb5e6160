{#-
    Two texts side by side: how many words they share from both ends, what
    differs between, which predicates stand before the difference in both, and
    of what kind each value is. Common table expressions that end in `valued`.
-#}
{% macro pair_frames(pairs_relation, tokens_relation) -%}
paired as (

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
        list_has_all(
            ['number', 'date', 'unit'], list_concat(earlier_kinds, later_kinds)
        ) as is_numeric,
        list_contains(earlier_kinds, 'date')
        or list_contains(later_kinds, 'date') as has_dates,
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
        -- Both state something, and each has what the other has not.
        earlier.polarity = 'positive'
        and later.polarity = 'positive'
        and len(earlier_kinds) > 0
        and len(later_kinds) > 0
        and not is_identifier as is_value_replaced,
        is_value_replaced
        and is_numeric
        -- A weekday and a time of day are two attributes.
        and not (
            regexp_matches(earlier_tokens || later_tokens, '\d:\d\d')
            and contains(array_to_string(earlier_words, ' '), '@weekday')
            <> contains(array_to_string(later_words, ' '), '@weekday')
        )
        and len(earlier_kinds) <= {{ var('update_value_words', 4) }}
        and len(later_kinds) <= {{ var('update_value_words', 4) }}
            as is_number_replaced,
    from framed

)
{%- endmacro %}
