{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}

with versions as (
    select * from {{ ref('int_memory_versions') }}
    {{ where_changed('memory_id') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
    {{ where_changed('memory_id') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

last_versions as (
    select *
    from versions
    qualify
        row_number() over (
            partition by memory_id
            order by version desc
        ) = 1
),

closed as (
    select
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        last_versions.valid_to as forgotten_at,
        last_versions.closed_because as reason,
        last_versions.explanation,
        last_versions.closed_by as forgotten_by,
        last_versions.superseded_by,
        'ebbing restore ' || memories.memory_id || ', or stating it again'
        || case
            when last_versions.superseded_by is null then ''
            else
                '; ' || last_versions.superseded_by
                || ' stays live after a restore and becomes history'
                || ' after a new statement'
        end as brought_back_by
    from last_versions
    inner join memories on last_versions.memory_id = memories.memory_id
    where last_versions.valid_to is not null
),

merged as (
    select
        identities.memory_id,
        identities.namespace,
        identities.kind,
        identities.content,
        identities.first_asserted_at as forgotten_at,
        'merged' as reason,
        'says the same as ' || canonicals.canonical_id as explanation,
        'rules' as forgotten_by,
        canonicals.canonical_id as superseded_by,
        'ebbing unmerge ' || identities.memory_id as brought_back_by
    from canonicals
    inner join identities on canonicals.memory_id = identities.memory_id
    where canonicals.memory_id <> canonicals.canonical_id
),

final as (
    select * from closed
    union all
    select * from merged
)

select * from final
