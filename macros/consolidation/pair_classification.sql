{#-
    What a later text is to an earlier one that is close to it in meaning:
    the same memory, an update of it, or a different one. One row a pair.

    pairs_relation:  earlier_id, later_id, earlier_content_hash,
                     later_content_hash, similarity (cosine)
    tokens_relation: what significant_tokens gives, or a table of it
    rules_relation:  the seed pair_rules, which gives class and reason

    same       nothing that matters differs
    update     subject and predicate are shared, and one value after them was
               replaced by another of its kind, or the whole was negated
    different  anything else: a wrong merge is worse than a missed one
-#}
{% macro pair_classification(pairs_relation, tokens_relation, rules_relation) -%}
with {{ pair_frames(pairs_relation, tokens_relation) }},

ruled as (

    select
        *,
        {{ pair_rules() }}
    from valued

),

-- The first rule that holds counts.
decided as (

    select
        *,
        case
            when has_no_words then 'has_no_words'
            when has_same_words then 'has_same_words'
            when has_turned_words then 'has_turned_words'
            when adds_possessive then 'adds_possessive'
            when turns_polarity then 'turns_polarity'
            when renames then 'renames'
            when changes_attribute_number then 'changes_attribute_number'
            when changes_number_after_is then 'changes_number_after_is'
            when changes_count then 'changes_count'
            when changes_quantity then 'changes_quantity'
            when changes_attribute_value then 'changes_attribute_value'
            when changes_value_in_role then 'changes_value_in_role'
            else 'none'
        end as rule,
        case
            when list_has_all(['unit'], list_concat(earlier_kinds, later_kinds))
                then 'unit'
            when list_contains(earlier_kinds, 'date') then 'date'
            else 'number'
        end as part,
    from ruled

),

classified as (

    select
        decided.earlier_id,
        decided.later_id,
        decided.rule,
        rules.pair_class,
        decided.earlier_tokens,
        decided.later_tokens,
        {{ pair_reason('rules.reason', 'decided', 'earlier', 'later') }} as reason,
        -- Why the earlier comes back, should it be stated again.
        {{ pair_reason('rules.reason', 'decided', 'later', 'earlier') }}
            as reverse_reason,
    from decided
    inner join {{ rules_relation }} as rules on decided.rule = rules.rule

)

select * from classified
{%- endmacro %}
