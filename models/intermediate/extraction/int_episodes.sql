{#- What was said, one row a passage of a message, as the memory that it is. -#}
with messages as (
    select * from {{ ref('stg_journal__messages') }}
),

read_messages as (
    select
        message_id,
        unnest(passages) as content,
        generate_subscripts(passages, 1)::integer as passage_seq
    from {{ ref('int_message_passages') }}
),

final as (
    select
        read_messages.message_id,
        read_messages.passage_seq,
        messages.namespace,
        messages.session_id,
        messages.role,
        messages.message_seq,
        read_messages.content,
        messages.occurred_at,
        messages.recorded_at,
        messages.event_sequence,
        {{ memory_id_of('messages.namespace', 'read_messages.content') }}
            as memory_id,
        sha256(read_messages.content) as content_hash
    from read_messages
    inner join messages on read_messages.message_id = messages.message_id
    -- A setting that changed leaves rows of roles that are no longer asked for.
    where messages.role in ({{ quoted(var('episode_roles')) }})
)

select * from final
