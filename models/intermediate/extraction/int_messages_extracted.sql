{{
    config(
        materialized='incremental',
        unique_key='message_id',
        incremental_strategy='delete+insert',
        on_schema_change='fail',
        access='private',
        group='maintenance',
        meta={'keeps_its_rows': true},
    )
}}

-- depends_on: {{ ref('extraction_rules') }}
-- depends_on: {{ ref('extraction_exclusions') }}
-- depends_on: {{ ref('extraction_words') }}
{%- set words = extraction_words() -%}
{%- set rules = extraction_rules(words) -%}
{%- set exclusions = extraction_exclusions(words) -%}
{%- set fingerprint = rules_fingerprint(rules, exclusions, words) -%}
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

    {{ unread_messages(
        this if is_incremental() else none,
        ref('stg_journal__messages'),
        fingerprint,
    ) | indent(4) }}

),

statements as (

    {{ extracted_statements('unread_messages', rules, exclusions, words) | indent(4) }}

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
