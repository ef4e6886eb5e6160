{{ config(materialized='view', access='private', group='maintenance') }}

with

messages as (

    select * from {{ ref('stg_journal__messages') }}

),

extracted as (

    select
        message_id,
        unnest(statements) as extracted_statement,
        generate_subscripts(statements, 1)::integer as statement_seq

    from {{ ref('int_messages_extracted') }}

),

final as (

    select
        extracted.message_id,
        messages.namespace,
        messages.session_id,
        extracted.statement_seq,
        extracted.extracted_statement.kind as kind,
        extracted.extracted_statement.statement as content,
        extracted.extracted_statement.rule_id as rule_id,
        messages.occurred_at,
        messages.recorded_at,
        messages.event_sequence,
        {{ memory_id_of(
            'messages.namespace', 'extracted.extracted_statement.statement'
        ) }} as memory_id,
        sha256(extracted.extracted_statement.statement) as content_hash

    from extracted
    inner join messages
        on extracted.message_id = messages.message_id

)

select * from final
