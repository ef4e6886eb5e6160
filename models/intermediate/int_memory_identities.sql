{{ config(materialized='table') }}

with assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

final as (
    select
        memory_id,
        namespace,
        content,
        content_hash,
        -- The last word on a memory's kind counts; its text never changes.
        arg_max(kind, struct_pack(o := occurred_at, e := assertion_id)) as kind,
        min(occurred_at) as first_asserted_at,
        min(recorded_at) as first_recorded_at,
        min(
            struct_pack(o := occurred_at, e := assertion_id)
        ).e as first_assertion_id
    from assertions
    group by memory_id, namespace, content, content_hash
)

select * from final
