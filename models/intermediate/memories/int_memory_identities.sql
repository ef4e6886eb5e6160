{#-
    Each text once. Beside its date stands its place in the order in which the
    journal learnt of what is known, which nothing that comes later moves: an
    episode has none, until somebody states what was said.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_texts_changed'},
) }}
-- depends_on: {{ ref('int_texts_changed') }}

with assertions as (
    select * from {{ ref('int_memory_assertions') }}
    {{ where_changed('memory_id') }}
),

last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

stated as (
    select
        memory_id,
        namespace,
        content,
        content_hash,
        -- The last word on a memory's kind counts; its text never changes. That
        -- it was said somewhere is no word on what it is.
        arg_max(
            kind,
            struct_pack(
                k := kind <> 'episode', o := occurred_at, e := assertion_id
            )
        ) as kind,
        min(occurred_at) as first_asserted_at,
        min(recorded_at) as first_recorded_at,
        min(
            struct_pack(o := occurred_at, e := assertion_id)
        ).e as first_assertion_id,
        min(
            struct_pack(at := event_sequence, place := statement_seq)
        ) filter (where assertions.kind <> 'episode') as arrived_at
    from assertions
    group by memory_id, namespace, content, content_hash
),

final as (
    select
        stated.*,
        {% if is_incremental() -%}
        coalesce(known.dated_in_build, last_build.build_number + 1)
        {%- else -%}
        last_build.build_number + 1
        {%- endif %} as dated_in_build
    from stated
    {% if is_incremental() -%}
    left join {{ this }} as known
        on
            stated.memory_id = known.memory_id
            and stated.first_asserted_at = known.first_asserted_at
            and stated.arrived_at is not distinct from known.arrived_at
    {%- endif %}
    cross join last_build
)

select * from final
