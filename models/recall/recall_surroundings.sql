{#-
    What stands around each memory in what was said: its stretch of talk, which
    ends with the session or an hour's pause, its place in it, whose words it
    is, and what it claims that something else may contradict. Recall reads it
    for what it found.
-#}
{{ config(materialized='table') }}

with memories as (
    select * from {{ ref('int_memories') }}
),

messages as (
    select * from {{ ref('stg_journal__messages') }}
),

attributes as (
    select * from {{ ref('int_memory_attributes') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

kinds as (
    select * from {{ ref('memory_kinds') }}
),

begun as (
    select
        memory_id,
        namespace,
        source_session_id,
        created_at,
        coalesce(
            namespace <> lag(namespace) over told
            or source_session_id is distinct from lag(source_session_id) over told
            or created_at - lag(created_at) over told > interval 1 hour,
            true
        ) as is_first
    from memories
    window told as (
        order by namespace, source_session_id, created_at, memory_id
    )
),

stretches as (
    select
        memory_id,
        sum(cast(is_first as integer)) over (
            order by namespace, source_session_id, created_at, memory_id
            rows between unbounded preceding and current row
        ) as stretch,
        -- What was said at one time has one place.
        dense_rank() over (
            order by namespace, source_session_id, created_at
        ) as place
    from begun
),

-- A value of an attribute that has one at a time gives way to the next; and
-- what is denied to its denial, or the other way round.
claimed as (
    select
        canonicals.canonical_id as memory_id,
        attributes.namespace,
        coalesce(attributes.family, attributes.attribute) as attribute,
        attributes.subject_key,
        attributes.value_key,
        attributes.stance,
        attributes.is_single_valued,
        attributes.part_count = 1 as is_whole
    from attributes
    inner join canonicals on attributes.memory_id = canonicals.memory_id
    where not attributes.is_former and not attributes.is_dated
),

claims as (
    select
        memory_id,
        concat_ws('|', namespace, attribute, subject_key) as about,
        value_key as told,
        is_whole
    from claimed
    where is_single_valued and stance = 'asserts'
    union
    select
        memory_id,
        concat_ws('|', namespace, attribute, subject_key, value_key) as about,
        stance as told,
        is_whole
    from claimed
),

gathered as (
    select
        memory_id,
        list(
            struct_pack(
                about := {{ number_of('about') }},
                told := {{ number_of('told') }},
                is_whole := is_whole
            )
            order by about, told, is_whole
        ) as claims
    from claims
    group by memory_id
),

final as (
    select
        {{ memory_key('memories.memory_id') }} as memory_key,
        stretches.stretch,
        stretches.place,
        {{ tokenise(
            "coalesce(messages.speaker, regexp_extract(memories.content, '^([^:\n]{1,40}): ', 1))"
        ) }} as speaker_terms,
        -- How a thing is done does not go out of date by what is said later.
        case when not kinds.is_time_free then gathered.claims end as claims,
        memories.last_asserted_at as said_at
    from memories
    inner join stretches on memories.memory_id = stretches.memory_id
    left join messages on memories.source_message_id = messages.message_id
    left join gathered on memories.memory_id = gathered.memory_id
    inner join kinds
        on
            kinds.kind = case
                when memories.kind in (select k.kind from kinds as k)
                    then memories.kind
                else 'other'
            end
)

select * from final
