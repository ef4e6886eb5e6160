{#- What users said and no rule has read yet as the rules are now. -#}
-- depends_on: {{ ref('extraction_rules') }}
-- depends_on: {{ ref('extraction_exclusions') }}
-- depends_on: {{ ref('extraction_words') }}
{%- set words = extraction_words() %}
with unread as (
    {{ unread_messages(
        ref('int_messages_extracted'),
        ref('stg_journal__messages'),
        rules_fingerprint(
            extraction_rules(words), extraction_exclusions(words), words
        ),
    ) | indent(4) }}
),

final as (
    select
        message_id,
        namespace,
        session_id,
        occurred_at
    from unread
)

select * from final
