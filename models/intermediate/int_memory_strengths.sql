{#-
    The state of each memory, folded from its uses in the order in which they
    happened. Incremental by memory: one is folded anew, whole, when it has
    other uses or settings than before, so late and imported events count at
    their own time and a full refresh gives the same rows.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_id',
    on_schema_change='fail',
) }}

with memories as (
    select * from {{ ref('int_memories') }}
),

uses as (
    select * from {{ ref('int_memory_uses') }}
),

gathered as (
    select
        memory_id,
        count(*) as use_count,
        bit_xor(hash(event_id, used_at)) as uses_fingerprint,
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
        gathered.last_used_at,
        md5(concat_ws(
            '|',
            memories.created_at,
            coalesce(gathered.use_count, 0),
            coalesce(gathered.uses_fingerprint, 0),
            memories.decay_model,
            memories.decay_base,
            memories.strength_floor,
            memories.initial_strength,
            memories.access_retention,
            memories.access_boost,
            memories.initial_stability,
            memories.stability_growth
        )) as inputs_fingerprint
    from memories
    left join gathered on memories.memory_id = gathered.memory_id
),

changed as (
    select current_inputs.*
    from current_inputs
    {% if is_incremental() %}
    left join {{ this }} as known
        on
            current_inputs.memory_id = known.memory_id
            and current_inputs.inputs_fingerprint = known.inputs_fingerprint
    where known.memory_id is null
    {% endif %}
),

folded as (
    select
        memory_id,
        use_count,
        last_used_at,
        created_at,
        inputs_fingerprint,
        {{ folded_uses('uses', 'created_at') }} as state
    from changed
),

final as (
    select
        memory_id,
        inputs_fingerprint,
        use_count,
        last_used_at,
        state.strength as strength,
        state.at as strengthened_at,
        state.stability as stability,
        state.trace as trace
    from folded
)

select * from final
