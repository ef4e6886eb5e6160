{#-
    Pairs of memories of which the later says that the earlier is so no more,
    by what both claim of one attribute: earlier_id, later_id, explanation,
    reverse_explanation, is_one_way. A restated earlier one closes the later
    only if it is not one way.

    claims_relation:     attribute_claims with memory_id and namespace
    statements_relation: memory_id, event_id, session_id, occurred_at: what was
                         stated when

    1. Of an attribute with one value at a time, each value gives way to the
       next one stated.
    2. A denial closes what claims the denied value; and the other way round.
    3. A change ("now", "switched") closes what was there before: of its
       category, or of the whole attribute.
    4. What the user "meant" closes what was said last in that session.
    A memory with several parts gives way only if all of them claim one thing; an
    event with its year never does.
-#}
{% macro attribute_rivals(claims_relation, statements_relation) -%}
with claims as (

    select
        *,
        -- Usage is one thing, whatever the verb.
        coalesce(family, attribute) as denied_in,
        string_split(value_key, ' ') as value_words,
    from {{ claims_relation }}

),

-- Whether all that a text says is this one thing.
closable as (

    select memory_id
    from claims
    group by memory_id
    having
        not bool_or(is_dated)
        and (
            max(part_count) = 1
            or (
                count(distinct part_number) = max(part_count)
                and count(distinct (attribute, subject_key)) filter (
                    where attribute <> 'fact'
                ) = 1
            )
        )

),

first_stated as (

    select
        memory_id,
        min(occurred_at) as first_stated_at,
        max(occurred_at) as last_stated_at,
    from {{ statements_relation }}
    group by memory_id

),

-- 1. Who follows whom among the values of one attribute.
followed as (

    select
        claims.namespace,
        claims.attribute,
        claims.subject_key,
        claims.memory_id,
        claims.value_key,
        claims.value_words,
        statements.occurred_at,
        statements.event_id,
        lag(claims.value_words) over in_order as value_words_before,
    from claims
    inner join {{ statements_relation }} as statements
        on claims.memory_id = statements.memory_id
    where claims.is_single_valued and claims.stance = 'asserts'
    window in_order as (
        partition by claims.namespace, claims.attribute, claims.subject_key
        order by statements.occurred_at, statements.event_id
    )

),

runs as (

    select
        *,
        coalesce(
            not {{ values_agree('value_words_before', 'value_words') }}, false
        ) as is_new_value,
        count(*) filter (where is_new_value) over (
            partition by namespace, attribute, subject_key
            order by occurred_at, event_id
            rows between unbounded preceding and current row
        ) as run_number,
    from followed

),

run_starts as (

    select *
    from runs
    where is_new_value

),

replaced as (

    select distinct
        runs.memory_id as earlier_id,
        run_starts.memory_id as later_id,
        runs.attribute,
        runs.value_key as earlier_value,
        run_starts.value_key as later_value,
        false as is_one_way,
    from run_starts
    inner join runs
        on
            run_starts.namespace = runs.namespace
            and run_starts.attribute = runs.attribute
            and run_starts.subject_key = runs.subject_key
            and run_starts.run_number = runs.run_number + 1

),

-- 2. Who denies what another asserts.
-- What a denial may speak of has the first of its words, or its category: a key
-- for the join, as all with all of an attribute are the square of them.
asserted as (

    select
        *,
        unnest(list_distinct(list_append(value_words, '@' || category))) as denied_word,
    from claims
    where stance = 'asserts'

),

denied as (

    select distinct
        asserted.memory_id as earlier_id,
        denials.memory_id as later_id,
        asserted.attribute,
        asserted.value_key as earlier_value,
        'not ' || denials.value_key as later_value,
        denials.is_former as is_one_way,
    from claims as denials
    inner join asserted
        on
            denials.namespace = asserted.namespace
            and denials.denied_in = asserted.denied_in
            and denials.memory_id <> asserted.memory_id
            and case
                when denials.value_key = '@category' then '@' || denials.category
                else denials.value_words[1]
            end = asserted.denied_word
            and (
                denials.subject_key = asserted.subject_key
                or (denials.subject_key = '' and asserted.attribute = 'platform')
            )
    where
        denials.stance = 'denies'
        and (
            denials.value_key = '@category'
            or (
                list_has_all(asserted.value_words, denials.value_words)
                and {{ values_agree('denials.value_words', 'asserted.value_words') }}
            )
        )

),

-- 3. What a change leaves behind.
changed as (

    select distinct
        earlier.memory_id as earlier_id,
        later.memory_id as later_id,
        later.attribute,
        earlier.value_key as earlier_value,
        later.value_key as later_value,
        true as is_one_way,
    from claims as later
    inner join claims as earlier
        on
            later.namespace = earlier.namespace
            and later.denied_in = earlier.denied_in
            and later.memory_id <> earlier.memory_id
            and (
                later.subject_key = earlier.subject_key
                or (later.subject_key = '' and earlier.attribute = 'platform')
            )
    where
        later.is_change
        and later.stance = 'asserts'
        and earlier.stance = 'asserts'
        and not {{ values_agree('later.value_words', 'earlier.value_words') }}
        and (
            (
                later.on_change = 'all'
                and later.attribute = earlier.attribute
                and later.subject_key = earlier.subject_key
            )
            or (later.on_change = 'category' and later.category = earlier.category)
        )

),

-- 4. "Sorry, I meant Leipzig" is about what was said just before.
meant as (

    select
        earlier.memory_id as earlier_id,
        later.memory_id as later_id,
        earlier.attribute,
        earlier.value_key as earlier_value,
        later.value_key as later_value,
        true as is_one_way,
    from claims as later
    inner join {{ statements_relation }} as meaning
        on later.memory_id = meaning.memory_id
    inner join {{ statements_relation }} as said
        on
            meaning.session_id = said.session_id
            and meaning.memory_id <> said.memory_id
            and (meaning.occurred_at, meaning.event_id)
            > (said.occurred_at, said.event_id)
    inner join claims as earlier
        on
            said.memory_id = earlier.memory_id
            and later.namespace = earlier.namespace
    where
        later.attribute = 'meaning'
        and later.stance = 'asserts'
        and earlier.is_single_valued
        and earlier.stance = 'asserts'
    qualify
        row_number() over (
            partition by later.memory_id, meaning.event_id
            order by said.occurred_at desc, said.event_id desc, earlier.attribute asc
        ) = 1

),

found as (

    select * from replaced
    union all
    select * from denied
    union all
    select * from changed
    union all
    select * from meant

),

final as (

    select
        case when is_turned then found.later_id else found.earlier_id end as earlier_id,
        case when is_turned then found.earlier_id else found.later_id end as later_id,
        min(found.attribute) as attribute,
        min(
            found.attribute || ': '
            || case when is_turned then found.later_value else found.earlier_value end
            || ' -> '
            || case when is_turned then found.earlier_value else found.later_value end
        ) as explanation,
        min(
            found.attribute || ': '
            || case when is_turned then found.earlier_value else found.later_value end
            || ' -> '
            || case when is_turned then found.later_value else found.earlier_value end
        ) as reverse_explanation,
        bool_and(found.is_one_way) as is_one_way,
    from (
        select
            found.*,
            earlier.first_stated_at > later.first_stated_at as is_turned,
            earlier.first_stated_at,
            later.last_stated_at,
        from found
        inner join first_stated as earlier on found.earlier_id = earlier.memory_id
        inner join first_stated as later on found.later_id = later.memory_id
    ) as found
    where
        found.earlier_id <> found.later_id
        -- A change says nothing of what was stated after it.
        and (not found.is_one_way or found.first_stated_at <= found.last_stated_at)
    group by all

)

select final.*
from final
where final.earlier_id in (select closable.memory_id from closable)
{%- endmacro %}
