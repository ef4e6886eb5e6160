{#-
    Each rule of the pair classification as one boolean column over what
    pair_frames gives; the seed pair_rules tells what a rule means. They are
    independent of each other: which counts first is pair_classification's.
-#}
{% macro pair_rules() -%}
{%- set longest_value = var('update_value_words', 4) -%}
{%- set longest_han_value = var('update_value_characters', 6) -%}
{%- set least_similarity = var('same_similarity', 0.98) -%}
    coalesce(
        len(earlier.words) = 0 or len(later.words) = 0, true
    ) as has_no_words,

    {{ without_subject('earlier.statement') }}
    = {{ without_subject('later.statement') }} as has_same_words,

    -- The end moved to the front: "on Fridays the user deploys".
    length(earlier.statement) = length(later.statement)
    and contains(
        ' ' || earlier.statement || ' ' || earlier.statement || ' ',
        ' ' || later.statement || ' '
    ) as has_turned_words,

    -- "sells clothes", "sells her clothes", if they are close as well.
    coalesce(similarity >= {{ least_similarity }}, false)
    and earlier.bare_statement = later.bare_statement
    and (
        earlier.bare_statement = earlier.statement
        or later.bare_statement = later.statement
    ) as adds_possessive,

    earlier.polarity != later.polarity
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
    ) as turns_polarity,

    coalesce(
        later.rename_at > 0
        and earlier.is_naming
        and earlier.words[
            coalesce(earlier.functional_at, earlier.copula_at) + 1:
        ] = later.words[:later.rename_at],
        false
    ) as renames,

    -- "the port is 8080", "lives at number 5"
    is_number_replaced
    and coalesce(value_offset <= 2, false) as changes_attribute_number,

    -- "the bridge is 40 m long", "is 3 to 5"
    is_number_replaced
    and coalesce(
        copula_at is not null
        and (
            (is_measure and shared_start - copula_at <= 2)
            or list_has_all(
                ['number', 'date', 'unit'],
                earlier.kinds[copula_at + 1:shared_start]
            )
        ),
        false
    ) as changes_number_after_is,

    -- "has two cats"
    is_number_replaced
    and not has_dates
    and coalesce(shared_start = count_at, false) as changes_count,

    -- "takes 14 minutes", "uses Python 3": a bare number may be a label
    -- ("run 14", "bus 12"), but not with a unit, nor after a name.
    is_number_replaced
    and not has_dates
    and coalesce(
        shared_start - coalesce(count_at, quantity_at) <= 3
        and (
            is_measure
            or (
                earlier.kinds[shared_start] = 'name'
                and shared_start > coalesce(count_at, quantity_at)
            )
        ),
        false
    ) as changes_quantity,

    -- "lives in Leeds", "the manager is Ana"
    is_value_replaced
    and coalesce(
        value_offset <= 2
        and not list_has_any(earlier_words, later_words)
        and earlier_class = later_class
        and earlier_value_class = later_value_class
        and (not is_named_value or earlier_value_class in ('name', 'number'))
        and abs(len(earlier_kinds) - len(later_kinds)) <= 2
        -- "my daughter is called Mia": there may be another daughter.
        and not (
            earlier.is_naming
            and coalesce(earlier.one_of_many_at <= value_at, false)
        )
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
        end,
        false
    ) as changes_attribute_value,

    -- "uses Vim as the primary editor"
    is_value_replaced
    and coalesce(
        quantity_at = shared_start
        and earlier_class = 'name'
        and later_class = 'name'
        and shared_end > 0
        and earlier.noun_at > shared_start + len(earlier_kinds)
        and earlier.words[len(earlier.words) - shared_end + 1] = 'as',
        false
    ) as changes_value_in_role,
{%- endmacro %}
