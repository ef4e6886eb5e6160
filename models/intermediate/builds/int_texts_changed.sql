{#-
    When the statements of each text last changed, by what they are and not by
    their place in the journal: so a rule that reads a message otherwise changes
    its texts too. One that nobody states any more stays, without statements.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='memory_id',
    on_schema_change='fail',
) }}
-- depends_on: {{ ref('int_settings') }}

with assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

stated as (
    select
        memory_id,
        bit_xor(hash(assertion_id, kind, occurred_at)) as statements_fingerprint
    from assertions
    group by memory_id
),

changed as (
    {% if is_incremental() -%}
    select
        coalesce(stated.memory_id, known.memory_id) as memory_id,
        stated.statements_fingerprint
    from stated
    full join {{ this }} as known on stated.memory_id = known.memory_id
    where
        stated.statements_fingerprint
        is distinct from known.statements_fingerprint
    {%- else -%}
    select
        memory_id,
        statements_fingerprint
    from stated
    {%- endif %}
),

final as (
    select
        changed.memory_id,
        changed.statements_fingerprint,
        last_build.build_number + 1 as changed_in_build
    from changed
    cross join last_build
)

select * from final
