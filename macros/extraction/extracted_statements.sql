{#-
    The memories that the user's own words make, by rules. A select with one row
    per statement: message_id, statement_seq, content, kind, rule_id, and the
    clause and the sentence that it was read from.

    messages: a relation with message_id, content, occurred_at, speaker and
    is_dated (users' alone)
    rules, exclusions, words: what extraction_rules and its siblings give

    A statement is one clause of one sentence, read as it stands, without what
    only opens it, and as the instruction that a polite request asks for. It
    makes at most one memory: of the rules that match, the one with the highest
    priority wins. An exclusion is looked for in that clause; one that governs
    what follows (a hypothesis, a pasted text) silences that too. The patterns
    are written into the query since a pattern that is a constant is compiled
    once, and one that comes from a column for each row: a hundred times slower.
-#}
{% macro extracted_statements(messages, rules, exclusions, words) %}
    {{- return(adapter.dispatch('extracted_statements', 'ebbing')(
        messages, rules, exclusions, words
    )) -}}
{% endmacro %}

{% macro default__extracted_statements(messages, rules, exclusions, words) -%}
{%- set directive_ranks = rules
    | selectattr('form', 'equalto', 'directive') | map(attribute='rank') | list -%}
with

readable_messages as (

    select
        message_id,
        speaker,
        -- No day is claimed for what the log gives no time.
        case when is_dated then occurred_at end as said_at,
        {{ readable_text(without_speaker_label('content', 'speaker')) }} as readable

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
        speaker,
        said_at,
        spans,
        {{ sentences(masked_text('readable')) }} as message_sentences

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
        unnest({{ clauses('sentence', words) }}) as clause,
        generate_subscripts({{ clauses('sentence', words) }}, 1) as clause_seq

    from message_sentences
    where length(sentence) <= 600

),

readings as (

    select
        message_id,
        sentence_seq,
        clause_seq,
        sentence,
        clause,
        unnest(list_distinct([
            {{ statement_core('clause') }},
            {{ statement_core(without_lead_in('clause')) }},
            {{ statement_core(
                'coalesce(' ~ standing_request(without_lead_in('clause')) ~ ", '')"
            ) }}
        ])) as reading

    from sentence_clauses

),

ranked_readings as (

    select
        *,
        case
            when false then 0
            {%- for rule in rules %}
            when {{ pattern_matches('reading', rule.pattern) }} then {{ loop.index }}
            {%- endfor %}
            else 0
        end as rule_rank

    from readings
    where length(reading) between 3 and 300

),

winning_rules as (

    select *
    from ranked_readings
    where rule_rank > 0
    qualify row_number() over (
        partition by message_id, sentence_seq, clause_seq
        order by rule_rank, length(reading), reading
    ) = 1

),

-- Only of messages that may make a memory, for most make none.
governing_clauses as (

    select
        message_id,
        sentence_seq,
        clause_seq,
        (
            false
            {%- for exclusion in exclusions if exclusion.applies_to == 'rest_of_message' %}
            or {{ pattern_matches('sentence', exclusion.pattern) }}
            {%- endfor %}
        ) as is_before_pasted_text,
        (
            false
            {%- for exclusion in exclusions if exclusion.applies_to == 'rest_of_sentence' %}
            or {{ pattern_matches('clause', exclusion.pattern) }}
            {%- endfor %}
        ) as is_before_unsaid

    from sentence_clauses
    where message_id in (select winning_rules.message_id from winning_rules)

),

silenced_clauses as (

    select
        message_id,
        sentence_seq,
        clause_seq

    from governing_clauses
    qualify
        bool_or(is_before_pasted_text) over (
            partition by message_id
            order by sentence_seq
        )
        or bool_or(is_before_unsaid) over (
            partition by message_id, sentence_seq
            order by clause_seq
        )

),

kept_rules as (

    select winning_rules.*
    from winning_rules
    anti join silenced_clauses
        on
            winning_rules.message_id = silenced_clauses.message_id
            and winning_rules.sentence_seq = silenced_clauses.sentence_seq
            and winning_rules.clause_seq = silenced_clauses.clause_seq
    where
        not (
            false
            {%- for exclusion in exclusions if exclusion.applies_to == 'clause' %}
            or {{ pattern_matches('winning_rules.reading', exclusion.pattern) }}
            {%- endfor %}
        )
        and not (
            not list_contains({{ directive_ranks }}, winning_rules.rule_rank)
            and (
                false
                {%- for exclusion in exclusions if exclusion.applies_to == 'statement' %}
                or {{ pattern_matches('winning_rules.reading', exclusion.pattern) }}
                {%- endfor %}
            )
        )

),

captured as (

    select
        *,
        case rule_rank
            when 0 then null
            {%- for rule in rules %}
            when {{ loop.index }} then {{ text_literal(rule.template) }}
            {%- endfor %}
        end as template,
        case rule_rank
            when 0 then null
            {%- for rule in rules %}
            when {{ loop.index }} then {{ text_literal(rule.kind) }}
            {%- endfor %}
        end as kind,
        case rule_rank
            when 0 then null
            {%- for rule in rules %}
            when {{ loop.index }} then {{ text_literal(rule.rule_id) }}
            {%- endfor %}
        end as rule_id,
        {%- for group in (1, 2, 3) %}
        case rule_rank
            {%- for rule in rules if '{' ~ group in rule.template %}
            when {{ rule.rank }}
                then {{ pattern_capture('reading', rule.pattern, group) }}
            {%- endfor %}
            when 0 then null
            else ''
        end as part_{{ group }}{{ ',' if not loop.last }}
        {%- endfor %}

    from kept_rules

),

told as (

    select
        * exclude (part_1, part_2, part_3),
        template like '%User%' or template like '%用户%' as is_told,
        {%- for group in (1, 2, 3) %}
        case
            when is_told then {{ in_third_person('part_' ~ group) }}
            else part_{{ group }}
        end as part_{{ group }}{{ ',' if not loop.last }}
        {%- endfor %}

    from captured

),

filled as (

    select
        *,
        replace(replace(replace(replace(replace(replace(
            template,
            '{0}', reading),
            '{1}', part_1),
            '{2}', part_2),
            '{3}', part_3),
            '{1s}', {{ third_person_verb('part_1') }}),
            '{2s}', {{ third_person_verb('part_2') }}
        ) as filled_template

    from told

),

about_the_user as (

    select
        * exclude (filled_template),
        case
            when is_told then filled_template
            else {{ without_first_person('filled_template') }}
        end as filled_template

    from filled

),

tidied as (

    select
        about_the_user.*,
        masked_messages.speaker,
        masked_messages.said_at,
        masked_messages.spans,
        trim(regexp_replace(
            {{ without_chatter('filled_template') }}, '\s+', ' ', 'g'
        )) as tidy

    from about_the_user
    inner join masked_messages
        on about_the_user.message_id = masked_messages.message_id

),

attributed as (

    select
        *,
        {{ about_the_speaker('tidy', 'speaker') }} as attributed

    from tidied

),

dated as (

    select
        *,
        {{ with_said_on('attributed', 'said_at') }} as dated

    from attributed

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
    rule_id,
    {{ unmasked_text('clause', 'spans') }} as clause,
    {{ unmasked_text('sentence', 'spans') }} as sentence

from worded
where
    length(worded) between 4 and 300
    -- One word, or one Chinese character of the user, says nothing.
    and (
        regexp_matches(worded, '\S\s+\S')
        or regexp_matches(worded, '^(?:用户)?\p{Han}{2}')
        or not regexp_matches(worded, '^[\x20-\x7f]+$')
    )
{%- endmacro %}
