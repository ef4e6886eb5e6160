{{
    config(
        materialized='incremental',
        unique_key='message_id',
        incremental_strategy='delete+insert',
        on_schema_change='fail',
        access='private',
        group='maintenance',
    )
}}

-- depends_on: {{ ref('extraction_rules') }}
-- depends_on: {{ ref('extraction_exclusions') }}
{%- set rules = extraction_rules() -%}
{%- set exclusions = extraction_exclusions() -%}
{%- set fingerprint = rules_fingerprint(rules, exclusions) -%}
{%- set is_all_read = is_incremental()
    and not has_unread_messages(this, ref('stg_journal__messages'), fingerprint) %}

{% if is_all_read -%}
-- Planning all the rules takes a second: not for nothing.
select * from {{ this }}
where false
{%- else -%}
with

-- A message is read once under each set of rules: a changed rule reads all anew.
unread_messages as (

    select
        messages.message_id,
        messages.content,
        messages.occurred_at

    from {{ ref('stg_journal__messages') }} as messages
    where
        messages.role = 'user'
        {%- if is_incremental() %}
        and not exists (
            select 1
            from {{ this }} as already_read
            where
                already_read.message_id = messages.message_id
                and already_read.rules_fingerprint = '{{ fingerprint }}'
        )
        {%- endif %}

),

statements as (

    {{ extracted_statements('unread_messages', rules, exclusions) | indent(4) }}

),

message_statements as (

    select
        message_id,
        list(
            struct_pack(statement := content, kind := kind, rule_id := rule_id)
            order by statement_seq
        ) as statements

    from statements
    group by message_id

),

final as (

    select
        unread_messages.message_id,
        coalesce(message_statements.statements, []) as statements,
        '{{ fingerprint }}' as rules_fingerprint

    from unread_messages
    left join message_statements
        on unread_messages.message_id = message_statements.message_id

)

select * from final
{%- endif %}
