{#-
    The memories that the user's own words make, by rules. A select with one row
    per statement: message_id, statement_seq, content, kind, rule_id.

    messages: a relation with message_id, content, occurred_at (users' alone)
    rules, exclusions: rows of the seeds (see extraction_rules), as lists

    A statement is one clause of one sentence. It makes at most one memory: of
    the rules that match, the one with the highest priority wins. An exclusion
    is looked for in the whole sentence. The patterns are written into the query
    since a pattern that is a constant is compiled once, and one that comes from
    a column for each row: a hundred times slower.
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

silenced_messages as (

    select
        message_id,
        min(sentence_seq) as first_silent_seq

    from message_sentences
    where
        message_id in (select winning_rules.message_id from winning_rules)
        and (
            false
            {%- for exclusion in exclusions if exclusion.applies_to == 'rest_of_message' %}
            or {{ pattern_matches('sentence', exclusion.pattern) }}
            {%- endfor %}
        )
    group by message_id

),

kept_rules as (

    select winning_rules.*
    from winning_rules
    left join silenced_messages
        on winning_rules.message_id = silenced_messages.message_id
    where
        (
            silenced_messages.first_silent_seq is null
            or winning_rules.sentence_seq < silenced_messages.first_silent_seq
        )
        and not (
            false
            {%- for exclusion in exclusions if exclusion.applies_to == 'statement' %}
            or {{ pattern_matches('winning_rules.sentence', exclusion.pattern) }}
            {%- endfor %}
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
            {%- for rule in rules if '{' ~ group ~ '}' in rule.template %}
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
        template like 'User%' or template like '用户%' as is_told,
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
        replace(replace(replace(replace(
            template,
            '{0}', reading),
            '{1}', part_1),
            '{2}', part_2),
            '{3}', part_3
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
