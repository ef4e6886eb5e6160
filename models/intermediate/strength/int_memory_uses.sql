{#-
    What strengthens a memory: being recalled as clearly related, or being
    stated again. A look into the past (`as_of` given) is no use.
-#}
{{ config(
    materialized='incremental',
    incremental_strategy='rebuild_changed',
    unique_key='memory_id',
    on_schema_change='fail',
    meta={'changed_by': 'int_memories_touched'},
) }}
with recalls as (
    select * from {{ ref('stg_journal__recalls') }}
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

embedding_settings as (
    select * from {{ ref('embedding_models') }}
),

assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
    {{ where_changed('canonical_id') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

accesses as (
    select
        canonicals.canonical_id as memory_id,
        hits.event_id,
        'access' as use_kind,
        hits.occurred_at as used_at
    from hits
    inner join recalls on hits.recall_id = recalls.recall_id
    inner join canonicals on hits.memory_id = canonicals.memory_id
    inner join identities on hits.memory_id = identities.memory_id
    left join embedding_settings as own
        on recalls.model_id = own.model_id
    inner join embedding_settings as fallback
        on fallback.model_id = '*'
    where
        recalls.as_of is null
        and {{ is_access(
            'hits.similarity',
            'hits.lexical_score',
            model_line('access', 'recalls.query_text', 'identities.content'),
        ) }}
),

restatements as (
    select
        canonicals.canonical_id as memory_id,
        assertions.assertion_id as event_id,
        'stated again' as use_kind,
        assertions.occurred_at as used_at
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
    qualify
        row_number() over (
            partition by canonicals.canonical_id
            order by assertions.occurred_at, assertions.assertion_id
        ) > 1
),

final as (
    select * from accesses
    union all
    select * from restatements
)

select * from final
