{#- A view: it shows the last maintenance at once, which the runner records when dbt is done. -#}
{{ config(materialized='view') }}

with position as (
    select * from {{ ref('int_journal_position') }}
),

memories as (
    select * from {{ ref('long_term_memory') }}
),

forgotten as (
    select * from {{ ref('forgotten_memories') }}
),


vectors as (
    select * from {{ ref('int_memory_vectors') }}
),

identities as (
    select * from {{ ref('int_memory_identities') }}
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

runs as (
    select * from {{ ref('stg_journal__runs') }}
),

models as (
    select * from {{ ref('stg_journal__embedding_models') }}
),

moment as (
    select
        {% if var('as_of') is none -%}
        maintained_through as as_of,
        {%- else -%}
        cast('{{ var("as_of") }}' as timestamp) as as_of,
        {%- endif %}
        maintained_through
    from position
),

live as (
    select
        count(*) as live_memories,
        count(*) filter (where memories.is_pinned) as pinned_memories,
        avg(
            case
                when
                    {{ strength_at('moment.as_of', relation='memories') }}
                    <= memories.strength_floor
                    then 1.0
                else 0.0
            end
        ) as share_at_floor
    from memories
    cross join moment
),

waiting as (
    select count(distinct identities.content_hash) as pending_embeddings
    from identities
    left join vectors on identities.memory_id = vectors.memory_id
    where vectors.memory_id is null
),

orphans as (
    select count(*) as orphan_hits
    from hits
    left join identities on hits.memory_id = identities.memory_id
    where identities.memory_id is null
),

final as (
    select
        live.live_memories,
        (select count(*) from forgotten) as forgotten_memories,
        live.pinned_memories,
        (select count(*) from {{ ref('session_log') }}) as messages,
        waiting.pending_embeddings,
        live.share_at_floor,
        orphans.orphan_hits,
        (
            select arg_max(models.model_id, models.event_sequence)
            from models
        ) as embedding_model,
        moment.as_of,
        moment.maintained_through,
        (
            select max(runs.occurred_at)
            from runs
            where runs.run_kind = 'maintain'
        ) as last_maintenance_at
    from live
    cross join waiting
    cross join orphans
    cross join moment
)

select * from final
