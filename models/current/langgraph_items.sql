{#-
    The items of LangGraph stores that nothing has closed: of each key the last
    write, as long as its memory was not forgotten or superseded since. What the
    rules make of the memory doesn't touch the item.
-#}
with writes as (
    select
        *,
        json_extract_string(
            try_cast(metadata as json), '$.langgraph.key'
        ) as item_key,
        struct_pack(o := occurred_at, e := event_id) as place
    from {{ ref('stg_journal__memory_writes') }}
    where namespace = 'langgraph' or starts_with(namespace, 'langgraph/')
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

items as (
    select
        *,
        max(place) over (
            partition by namespace, item_key
        ) as last_place_of_key,
        -- One text belongs to one item: the one that was written last.
        max(place) over (partition by memory_id) as last_place_of_memory
    from writes
    where item_key is not null
),

last_changes as (
    select
        memory_id,
        max(struct_pack(o := occurred_at, e := event_id)) as place,
        arg_max(
            change, struct_pack(o := occurred_at, e := event_id)
        ) as change
    from {{ ref('stg_journal__memory_changes') }}
    where change in ('forget', 'restore', 'supersede')
    group by memory_id
),

final as (
    select
        items.event_id,
        items.memory_id,
        coalesce(canonicals.canonical_id, items.memory_id) as canonical_id,
        items.namespace,
        items.item_key,
        items.content,
        items.metadata,
        items.expires_at,
        items.occurred_at
    from items
    left join last_changes on items.memory_id = last_changes.memory_id
    left join canonicals on items.memory_id = canonicals.memory_id
    where
        items.place = items.last_place_of_key
        and items.place = items.last_place_of_memory
        and (
            last_changes.change is null
            or last_changes.change = 'restore'
            or last_changes.place < items.place
        )
)

select * from final
