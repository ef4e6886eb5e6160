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

-- depends_on: {{ ref('episode_exclusions') }}
{%- set exclusions = episode_exclusions() -%}
{%- set roles = var('episode_roles') -%}
{%- set fingerprint = local_md5(
    roles | join(',') ~ message_passages('messages', exclusions)
) %}

with

messages as (

    select
        message_id,
        content

    from {{ ref('stg_journal__messages') }}
    where list_contains([{{ quoted(roles) }}], role)

),

-- A message is read once under each set of settings: a changed one reads all anew.
unread_messages as (

    select messages.*
    from messages
    {% if is_incremental() %}
    left join {{ this }} as already_read
        on
            messages.message_id = already_read.message_id
            and already_read.passages_fingerprint = '{{ fingerprint }}'
    where already_read.message_id is null
    {% endif %}

),

passages as (

    {{ message_passages('unread_messages', exclusions) | indent(4) }}

),

gathered as (

    select
        message_id,
        list(content order by passage_seq) as passages

    from passages
    group by message_id

),

final as (

    select
        unread_messages.message_id,
        coalesce(gathered.passages, []) as passages,
        '{{ fingerprint }}' as passages_fingerprint

    from unread_messages
    left join gathered
        on unread_messages.message_id = gathered.message_id

)

select * from final
