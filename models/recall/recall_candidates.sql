{#-
    Everything that recall may find: the index, corrected by what the journal
    has said since, and the memories that the index does not hold yet.
-#}
{%- set active = active_embedding_model_row() -%}
with indexed as not materialized (
    select * from {{ ref('recall_index') }}
),

tail as (
    select * from {{ ref('recall_tail') }}
),

writes as (
    select * from {{ ref('stg_journal__memory_writes') }}
),

embeddings as (
    select * from {{ ref('stg_journal__embeddings') }}
    where model_id = '{{ active.model_id if active else '' }}'  -- noqa: LT05
),

kinds as (
    select * from {{ ref('memory_kinds') }}
),

maintained as (
    select
        -- A column to exclude belongs to the star before it.
        indexed.* exclude (valid_to, journal_position),  -- noqa: RF02
        case
            when indexed.valid_to is null and not tail.is_open
                then greatest(tail.occurred_at, indexed.valid_from)
            else indexed.valid_to
        end as valid_to
    from indexed
    left join tail on indexed.memory_id = tail.memory_id
),

newly_open as (
    select tail.*
    from tail
    where
        tail.is_open
        and tail.memory_id not in (
            select indexed.memory_id
            from indexed
            where indexed.valid_to is null
        )
),

last_writes as (
    select
        writes.*,
        min(writes.occurred_at) over (
            partition by writes.memory_id
        ) as first_occurred_at
    from writes
    inner join newly_open on writes.memory_id = newly_open.memory_id
    qualify
        row_number() over (
            partition by writes.memory_id
            order by writes.occurred_at desc, writes.event_id desc
        ) = 1
),

reopened as (
    select
        indexed.* exclude (valid_from, valid_to, journal_position),  -- noqa: RF02
        newly_open.occurred_at as valid_from,
        cast(null as timestamp) as valid_to
    from newly_open
    inner join indexed on newly_open.memory_id = indexed.memory_id
    qualify
        row_number() over (
            partition by indexed.memory_id
            order by indexed.valid_from desc
        ) = 1
),

written as (
    select
        last_writes.memory_id,
        last_writes.namespace,
        last_writes.kind,
        last_writes.content,
        newly_open.occurred_at as valid_from,
        last_writes.expires_at,
        last_writes.first_occurred_at as created_at,
        cast(null as timestamp) as last_accessed_at,
        kinds.initial_strength as strength,
        last_writes.occurred_at as strengthened_at,
        kinds.initial_stability as stability,
        kinds.decay_model,
        kinds.decay_base,
        kinds.strength_floor,
        {{ prior_weight('last_writes.method') }} as weight,
        {{ memory_source(
            'last_writes.session_id',
            'last_writes.message_id',
            'last_writes.task_id',
            'last_writes.method',
        ) }} as source,
        kinds.initial_strength,
        kinds.initial_stability,
        len(
            {{ tokenise(indexed_text(
                'last_writes.content', 'last_writes.first_occurred_at'
            )) }}
        ) as term_count,
        {{ script_of('last_writes.content') }} as script,
        cast(
            embeddings.vector as float[{{ embedding_dimension() }}]
        ) as vector,
        cast(null as timestamp) as valid_to
    from newly_open
    inner join last_writes on newly_open.memory_id = last_writes.memory_id
    inner join kinds
        on
            kinds.kind = case
                when last_writes.kind in (select k.kind from kinds as k)
                    then last_writes.kind
                else 'other'
            end
    left join embeddings
        on last_writes.content_hash = embeddings.content_hash
    where
        newly_open.memory_id not in (select indexed.memory_id from indexed)
),

final as (
    select * from maintained
    union all by name
    select * from reopened
    union all by name
    select * from written
)

select * from final
