{#-
    What texts claim of the attributes that the seeds know, one row a claim:
    content_hash, part_number, part_count, attribute, subject_key, value_key,
    category, stance (asserts, denies), is_change, is_former, pattern_id.

    clauses_relation:    what claim_clauses gives, or a table of it
    attributes_relation: the seed attributes
    words_relation:      the seed attribute_words
    vocabulary_relation: the seed comparison_words; of it, what is no value
    patterns:            rows of expanded_patterns. They are written into the
                         query, since a constant pattern is compiled once.
-#}
{% macro attribute_claims(
    clauses_relation, attributes_relation, words_relation, vocabulary_relation, patterns
) -%}
with clauses as (

    select
        *,
        regexp_matches(clause, '\p{Han}') as is_han,
        max(part_number) over (partition by content_hash) as part_count,
        row_number() over (
            partition by content_hash order by part_number, clause_number
        ) as clause_place,
    from {{ clauses_relation }}

),

matched as (

    select
        content_hash,
        part_number,
        part_count,
        clause_place,
        names_user,
        is_change,
        is_negated,
        is_dated,
        unnest(list_filter([
            {%- for row in patterns %}
            {%- set pattern = text_literal('(?i)' ~ row.pattern) %}
            case
                when {{ '' if row.language == 'zh' else 'not ' }}is_han
                    and regexp_matches(clause, {{ pattern }})
                    {%- if row.unless %}
                    and not regexp_matches(clause, {{ text_literal('(?i)' ~ row.unless) }})
                    {%- endif %}
                    then struct_pack(
                        pattern_id := '{{ row.pattern_id }}',
                        attribute := '{{ row.attribute }}',
                        stance := '{{ row.stance }}',
                        subject := trim({{ filled_template(row.subject, 'clause', pattern) }}),
                        captured := trim({{ filled_template(row.value, 'clause', pattern) }}),
                        former := trim({{ filled_template(row.former, 'clause', pattern) }}),
                        value_pattern := {{ text_literal(row.value_pattern) }},
                        subject_pattern := {{ text_literal(row.subject_pattern) }}
                    )
            end{{ ',' if not loop.last }}
            {%- endfor %}
        ], lambda claim: claim is not null)) as claim,
    from clauses

),

-- What was there before is denied.
with_former as (

    select
        * exclude (claim),
        claim.pattern_id as pattern_id,
        claim.attribute as attribute,
        claim.subject as subject,
        claim.captured as captured,
        claim.value_pattern as value_pattern,
        claim.subject_pattern as subject_pattern,
        case
            when is_negated <> (claim.stance = 'denies') then 'denies'
            else 'asserts'
        end as stance,
        false as is_former,
    from matched
    union all
    select
        * exclude (claim),
        claim.pattern_id as pattern_id,
        claim.attribute as attribute,
        claim.subject as subject,
        claim.former as captured,
        '' as value_pattern,
        claim.subject_pattern as subject_pattern,
        'denies' as stance,
        true as is_former,
    from matched
    where claim.former <> '' and not is_negated

),

cut as (

    select
        *,
        trim(regexp_replace(captured, '{{ value_tail('end') }}', ''), ' .,;:!') as whole,
        trim(regexp_replace(captured, '{{ value_tail('any') }}', ''), ' .,;:!') as kept,
    from with_former
    where
        (value_pattern = '' or regexp_matches(captured, value_pattern))
        and (subject_pattern = '' or regexp_matches(subject, '(?i)' || subject_pattern))
        -- Who asks, hopes or hears says nothing of how it is.
        and not regexp_matches(
            subject,
            '(?i)\b(?:to|that|who|what|if|whether|would|might|may|will|could|should|wants?|hopes?|wish(?:es)?|plans?|thinks?|says|said|asks|asked|not|because)\b|想|打算|计划|可能|考虑|希望|准备|觉得|听说|问|说|不|如果|要是|曾|以前'
        )
        and length(subject) <= 48

),

-- "Dana lives in Kent and works at Nord": who was named first is meant on.
attributed as (

    select
        * exclude (subject),
        case
            when subject = '' and not names_user and clause_place > 1
                then coalesce(
                    first_value(subject) over (
                        partition by content_hash order by clause_place
                    ),
                    ''
                )
            else subject
        end as subject,
    from cut

),

named as (

    select
        * exclude (
            captured, value_pattern, subject_pattern, whole, kept, names_user, clause_place
        )
        replace (regexp_replace(subject, '^(?:把|将)|(?:的|从|已|现在)+$', '') as subject),
        regexp_replace(
            case when stance = 'denies' then whole else kept end,
            '(?:市|那边|这边|去了|来了|了|啦|工作|上班|的)+$',
            ''
        ) as value,
    from attributed

),

keyed as (

    select
        * exclude (subject, value),
        {{ claim_value('subject') }} as subject_key,
        {{ claim_value('value') }} as value_key,
    from named

),

word_keys as (

    select distinct on (word_key)
        {{ claim_value('word') }} as word_key,
        list as category,
        coalesce(canonical, word_key) as canonical,
    from {{ words_relation }}
    where list not in ('kin', 'calendar', 'profession', 'pet')
        and list not like '%\_noun' escape '\'
    order by word_key, list

),

classified as (

    select
        keyed.* exclude (value_key),
        coalesce(word_keys.canonical, keyed.value_key) as value_key,
        word_keys.category,
    from keyed
    left join word_keys on keyed.value_key = word_keys.word_key
    where keyed.value_key <> ''

),

not_values as (

    select distinct
        {{ claim_value("regexp_replace(word, '的$', '')") }} as word_key,
        role = 'place' as is_place,
    from {{ vocabulary_relation }}
    where role in ('state', 'circumstance', 'origin', 'place')

),

-- A set of options is an attribute of its own; nobody lives in a product.
settled as (

    select
        * exclude (attribute),
        case when attribute = 'choice' then category else attribute end as attribute,
    from classified
    where attribute <> 'home' or category is null

),

final as (

    select distinct
        settled.content_hash,
        settled.part_number,
        settled.part_count,
        settled.attribute,
        settled.subject_key,
        settled.value_key,
        settled.category,
        settled.stance,
        settled.is_change,
        settled.is_former,
        settled.is_dated,
        attributes.is_single_valued,
        attributes.family,
        attributes.on_change,
    from settled
    inner join {{ attributes_relation }} as attributes
        on settled.attribute = attributes.attribute
    -- "The database is slow", "lives at home": not which, but how.
    where
        attributes.takes_states
        or (
            not regexp_matches(
                settled.value_key,
                '^(?:on|in|at|under|due|too|very|so|quite|not|about|for|with|from|by)\b'
            )
            and not exists (
                select 1
                from not_values
                where
                    not_values.word_key in (
                        settled.value_key, split_part(settled.value_key, ' ', 1)
                    )
                    -- A town is where, but not for whom, somebody works.
                    and (
                        not not_values.is_place
                        or settled.attribute in ('employer', 'person', 'owner')
                    )
            )
        )

)

select * from final
{%- endmacro %}
