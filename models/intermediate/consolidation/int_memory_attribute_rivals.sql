{#-
    Pairs of memories of which the later says that the earlier is so no more,
    by what both claim of one attribute. Merged texts count as one memory. All
    that claim what something touched claims are held against each other anew.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='earlier_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with attributes as (
    select * from {{ ref('int_memory_attributes') }}
),

assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

{% if is_incremental() -%}
families as (
    select
        memory_id,
        namespace,
        coalesce(family, attribute) as attribute,
        subject_key
    from attributes
),

touched_claims as (
    select distinct
        namespace,
        attribute,
        subject_key
    from families
    {{ where_changed('memory_id') }}
),

claim_alike as (
    select distinct memory_id
    from families
    where {{ is_claimed_alike('touched_claims') }}
),
{%- endif %}

claims as (
    select attributes.*
    from attributes
    inner join canonicals
        on
            attributes.memory_id = canonicals.memory_id
            and canonicals.memory_id = canonicals.canonical_id
    -- What was said stays so at its time.
    where
        attributes.kind <> 'episode'
        {%- if is_incremental() %}
        and attributes.memory_id in (select c.memory_id from claim_alike as c)
        {%- endif %}
),

statements as (
    select
        canonicals.canonical_id as memory_id,
        assertions.assertion_id as event_id,
        assertions.session_id,
        assertions.occurred_at
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
),

rivals as (
    {{ attribute_rivals('claims', 'statements') }}
)

select * from rivals
{{ where_changed('earlier_id') }}
