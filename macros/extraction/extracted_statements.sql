{#-
    The memories that the user's own words make, by rules. A select with one row
    per statement: message_id, statement_seq, content, kind, rule_id.

    messages: a relation with message_id, content, occurred_at (users' alone)
    rules, exclusions: the seeds extraction_rules and extraction_exclusions

    A statement is one clause of one sentence. It makes at most one memory: of
    the rules that match, the one with the highest priority wins. An exclusion
    is looked for in the whole sentence. Cues come first because a regular
    expression costs a thousand times a word look-up.
-#}
{% macro extracted_statements(messages, rules, exclusions) %}
    {{- return(adapter.dispatch('extracted_statements', 'ebbing')(
        messages, rules, exclusions
    )) -}}
{% endmacro %}

{% macro default__extracted_statements(messages, rules, exclusions) -%}
with

readable_messages as (

    select
        message_id,
        occurred_at,
        {{ readable_text('content') }} as readable

    from {{ messages }}

),

messages_with_spans as (

    select
        *,
        {{ opaque_spans('readable') }} as spans

    from readable_messages

),

masked_messages as (

    select
        message_id,
        occurred_at,
        spans,
        {{ sentences(masked_text('readable', 'spans')) }} as message_sentences

    from messages_with_spans

),

message_sentences as (

    select
        message_id,
        unnest(message_sentences) as sentence,
        generate_subscripts(message_sentences, 1) as sentence_seq

    from masked_messages

),

sentence_clauses as (

    select
        message_id,
        sentence_seq,
        sentence,
        unnest({{ clauses('sentence') }}) as clause,
        generate_subscripts({{ clauses('sentence') }}, 1) as clause_seq

    from message_sentences
    where length(sentence) <= 600

),

readings as (

    select
        message_id,
        sentence_seq,
        clause_seq,
        sentence,
        unnest(list_distinct([
            {{ statement_core('clause') }},
            {{ statement_core(without_lead_in('clause')) }}
        ])) as reading

    from sentence_clauses

),

lowered_readings as (

    select
        *,
        lower(reading) as lowered,
        regexp_matches(reading, '[A-Za-z]') as has_english,
        regexp_matches(reading, '\p{Han}') as has_chinese

    from readings
    where length(reading) between 3 and 300

),

enabled_rules as (

    select
        rule_id,
        language,
        kind,
        '(?i)' || pattern as pattern,
        template,
        priority,
        unnest(string_split(lower(coalesce(cues, '')), '|')) as cue

    from {{ rules }}
    where is_enabled

),

cued_rules as (

    select distinct
        lowered_readings.message_id,
        lowered_readings.sentence_seq,
        lowered_readings.clause_seq,
        lowered_readings.sentence,
        lowered_readings.reading,
        enabled_rules.rule_id,
        enabled_rules.kind,
        enabled_rules.pattern,
        enabled_rules.template,
        enabled_rules.priority

    from lowered_readings
    inner join enabled_rules
        on contains(lowered_readings.lowered, enabled_rules.cue)
        and (
            (enabled_rules.language = 'en' and lowered_readings.has_english)
            or (enabled_rules.language = 'zh' and lowered_readings.has_chinese)
        )

),

matched_rules as (

    select *
    from cued_rules
    where regexp_matches(reading, pattern)

),

winning_rules as (

    select *
    from matched_rules
    qualify row_number() over (
        partition by message_id, sentence_seq, clause_seq
        order by priority desc, rule_id, length(reading), reading
    ) = 1

),

exclusion_patterns as (

    select
        applies_to,
        '(?i)' || string_agg(
            '(?:' || pattern || ')', '|' order by pattern_id
        ) as pattern

    from {{ exclusions }}
    group by applies_to

),

excluded_sentences as (

    select distinct
        winning_rules.message_id,
        winning_rules.sentence_seq

    from winning_rules
    inner join exclusion_patterns
        on exclusion_patterns.applies_to = 'statement'
        and regexp_matches(
            winning_rules.sentence, exclusion_patterns.pattern
        )

),

silenced_messages as (

    select
        message_sentences.message_id,
        min(message_sentences.sentence_seq) as first_silent_seq

    from message_sentences
    inner join exclusion_patterns
        on exclusion_patterns.applies_to = 'rest_of_message'
        and regexp_matches(
            message_sentences.sentence, exclusion_patterns.pattern
        )
    where message_sentences.message_id in (
        select winning_rules.message_id from winning_rules
    )
    group by message_sentences.message_id

),

kept_rules as (

    select winning_rules.*
    from winning_rules
    left join silenced_messages
        on winning_rules.message_id = silenced_messages.message_id
    anti join excluded_sentences
        on winning_rules.message_id = excluded_sentences.message_id
        and winning_rules.sentence_seq = excluded_sentences.sentence_seq
    where
        silenced_messages.first_silent_seq is null
        or winning_rules.sentence_seq < silenced_messages.first_silent_seq

),

captured as (

    select
        *,
        template like 'User%' or template like '用户%' as is_told,
        regexp_extract(reading, pattern, 1) as first_part,
        case
            when contains(template, '{2}')
                then regexp_extract(reading, pattern, 2)
            else ''
        end as second_part,
        case
            when contains(template, '{3}')
                then regexp_extract(reading, pattern, 3)
            else ''
        end as third_part

    from kept_rules

),

told as (

    select
        * exclude (first_part, second_part, third_part),
        case
            when is_told then {{ in_third_person('first_part') }}
            else first_part
        end as first_part,
        case
            when is_told then {{ in_third_person('second_part') }}
            else second_part
        end as second_part,
        case
            when is_told then {{ in_third_person('third_part') }}
            else third_part
        end as third_part

    from captured

),

filled as (

    select
        *,
        replace(replace(replace(replace(
            template,
            '{0}', reading),
            '{1}', first_part),
            '{2}', second_part),
            '{3}', third_part
        ) as filled_template

    from told

),

tidied as (

    select
        filled.*,
        masked_messages.occurred_at,
        masked_messages.spans,
        trim(regexp_replace(
            {{ without_chatter('filled_template') }}, '\s+', ' ', 'g'
        )) as tidy

    from filled
    inner join masked_messages
        on filled.message_id = masked_messages.message_id

),

dated as (

    select
        *,
        {{ with_said_on('tidy', 'occurred_at') }} as dated

    from tidied

),

worded as (

    select
        *,
        {{ unmasked_text('dated', 'spans') }} as worded

    from dated

)

select
    message_id,
    (row_number() over (
        partition by message_id
        order by sentence_seq, clause_seq
    ))::integer as statement_seq,
    nfc_normalize(upper(worded[1]) || worded[2:]) as content,
    kind,
    rule_id

from worded
where length(worded) between 4 and 300
{%- endmacro %}
