{#-
    A select of the newest state of each memory that the journal has spoken of
    beyond the index and since event `after`: written, corrected, forgotten,
    restored, superseded, or given its vector. An open one that the index does
    not hold as live stands as a row of the index would, its terms beside it.

    Both the model and the runner's own insert ask it, so that what a text
    costs is paid once, when it is written. `span` is the negative number of
    the newest event, so that none is a span of the index. `said`: relations in
    which episodes are, for standing_rows.
-#}
{% macro tail_states(after, said) -%}
{%- set active = active_embedding_model_row() -%}
{%- set embeddings -%}
    (
        select *
        from {{ ref('stg_journal__embeddings') }}
        where
            model_id
            = '{{ active.model_id | replace("'", "''") if active else '' }}'  -- noqa: LT05
    )
{%- endset -%}
{%- set writes = ref('stg_journal__memory_writes') ~ ' as writes' -%}
{%- set canonicals = ref('int_memory_canonicals') ~ ' as canonicals' -%}
{%- set index_spans = ref('recall_index') ~ ' as index_spans' -%}
{%- set changes -%}
    (
        select *
        from {{ ref('stg_journal__memory_changes') }}
        where change in ('forget', 'restore', 'supersede')
    ) as changes
{%- endset -%}
{#- Named where they are read: what is read at two places is else read whole. -#}
with last_position as (
    select coalesce(max(journal_position), 0) as journal_position
    from {{ ref('recall_settings') }}
),

spoken_of as (
    select memory_id from {{ writes }}
    where event_sequence > {{ after }}
    union
    select memory_id from {{ changes }}
    where event_sequence > {{ after }}
    union
    select writes.memory_id
    from {{ writes }}
    inner join {{ embeddings }} as embeddings on writes.content_hash = embeddings.content_hash
    cross join last_position
    where
        embeddings.event_sequence > {{ after }}
        and writes.event_sequence > last_position.journal_position
),

-- What is said of a text that was merged is said of the memory.
affected as (
    select distinct
        coalesce(canonicals.canonical_id, spoken_of.memory_id) as canonical_id
    from spoken_of
    left join {{ canonicals }} on spoken_of.memory_id = canonicals.memory_id
),

members as (
    select
        canonical_id as memory_id,
        canonical_id
    from affected
    union
    select
        canonicals.memory_id,
        canonicals.canonical_id
    from {{ canonicals }}
    inner join affected on canonicals.canonical_id = affected.canonical_id
),

new_events as (
    select
        members.canonical_id as memory_id,
        writes.event_id,
        writes.event_sequence,
        true as is_written,
        true as is_opening,
        writes.occurred_at,
        writes.recorded_at
    from {{ writes }}
    inner join members on writes.memory_id = members.memory_id
    cross join last_position
    where writes.event_sequence > last_position.journal_position
    union all
    select
        members.canonical_id as memory_id,
        changes.event_id,
        changes.event_sequence,
        false as is_written,
        changes.change = 'restore' as is_opening,
        changes.occurred_at,
        changes.recorded_at
    from {{ changes }}
    inner join members on changes.memory_id = members.memory_id
    cross join last_position
    where changes.event_sequence > last_position.journal_position
),

-- Who forgets a memory whose date is still to come means that one too.
ordered as (
    select
        *,
        case
            when is_written then occurred_at
            else max(occurred_at) over (
                    partition by memory_id
                    order by event_sequence
                )
        end as ordered_at
    from new_events
),

newest as (
    select
        memory_id,
        max(event_sequence) as event_sequence,
        max(
            struct_pack(
                ordered_at := ordered_at,
                event_id := event_id,
                is_opening := is_opening,
                happened_at := least(occurred_at, recorded_at)
            )
        ) as last_event
    from ordered
    group by memory_id
),

last_spans as (
    select
        memory_id,
        max(span) as span,
        bool_or(valid_to is null) as is_live
    from {{ index_spans }}
    where memory_id in (select newest.memory_id from newest)
    group by memory_id
),

reopened as (
    select
        newest.memory_id,
        index_spans.* exclude (  -- noqa: RF02
            memory_key, memory_id, span, valid_from, valid_to
        ),
        greatest(newest.last_event.happened_at, index_spans.valid_to)
            as valid_from
    from newest
    inner join last_spans on newest.memory_id = last_spans.memory_id
    inner join {{ index_spans }}
        on
            last_spans.memory_id = index_spans.memory_id
            and last_spans.span = index_spans.span
    where newest.last_event.is_opening and not last_spans.is_live
),

last_writes as (
    select
        writes.*,
        min(writes.occurred_at) over (
            partition by writes.memory_id
        ) as first_occurred_at
    from {{ writes }}
    inner join newest on writes.memory_id = newest.memory_id
    where
        newest.last_event.is_opening
        and newest.memory_id not in (
            select last_spans.memory_id from last_spans
        )
    qualify
        row_number() over (
            partition by writes.memory_id
            order by writes.occurred_at desc, writes.event_id desc
        ) = 1
),

text_vectors as (
    select
        content_hash,
        min(event_sequence) as vector_key
    from {{ embeddings }} as embeddings
    where
        content_hash in (select last_writes.content_hash from last_writes)
    group by content_hash
),

new_texts as (
    select
        last_writes.memory_id,
        last_writes.namespace,
        last_writes.kind,
        last_writes.content,
        newest.last_event.happened_at as valid_from,
        last_writes.expires_at,
        last_writes.first_occurred_at as created_at,
        last_writes.occurred_at as strengthened_at,
        last_writes.method,
        last_writes.session_id,
        last_writes.message_id,
        last_writes.task_id,
        text_vectors.vector_key
    from last_writes
    inner join newest on last_writes.memory_id = newest.memory_id
    left join text_vectors
        on last_writes.content_hash = text_vectors.content_hash
),

written as (
    {{ standing_rows('new_texts', said) }}
),

standing as (
    select * from reopened
    union all by name
    select * from written
)

select
    {{ memory_key('newest.memory_id') }} as memory_key,
    -greatest(newest.event_sequence, coalesce(standing.vector_key, 0)) as span,
    newest.memory_id,
    newest.last_event.is_opening as is_open,
    newest.last_event.happened_at,
    standing.memory_id is not null as is_standing,
    standing.* exclude (memory_id)  -- noqa: RF02
from newest
left join standing on newest.memory_id = standing.memory_id
{%- endmacro %}
