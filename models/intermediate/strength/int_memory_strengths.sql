{#-
    The state of each memory, folded from its uses in the order in which they
    happened: whole each time, so that late and imported events count at their
    own time.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with memories as (
    select * from {{ ref('int_memories') }}
    {{ where_changed('memory_id') }}
),

uses as (
    select * from {{ ref('int_memory_uses') }}
    {{ where_changed('memory_id') }}
),

gathered as (
    select
        memory_id,
        count(*) as use_count,
        list(
            struct_pack(event_id, use_kind, at := used_at)
            order by used_at, event_id
        ) as uses,
        max(used_at) as last_used_at
    from uses
    group by memory_id
),

current_inputs as (
    select
        memories.*,
        coalesce(gathered.use_count, 0) as use_count,
        coalesce(gathered.uses, []) as uses,
        gathered.last_used_at
    from memories
    left join gathered on memories.memory_id = gathered.memory_id
),

folded as (
    select
        memory_id,
        use_count,
        last_used_at,
        created_at,
        {{ folded_uses('uses', 'created_at') }} as state
    from current_inputs
),

final as (
    select
        memory_id,
        use_count,
        last_used_at,
        state.strength as strength,
        state.at as strengthened_at,
        state.stability as stability,
        state.trace as trace
    from folded
)

select * from final
