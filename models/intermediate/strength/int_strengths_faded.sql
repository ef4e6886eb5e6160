{#-
    What each memory's strength is worth at the instant of the report, in nine
    decimals: `strength_at` on its own, where it can be read and tested.
-#}
{{ config(materialized='ephemeral') }}

with memories as (
    select * from {{ ref('int_memories') }}
),

strengths as (
    select * from {{ ref('int_memory_strengths') }}
),

position as (
    select * from {{ ref('int_journal_position') }}
),

moment as (
    select
        {% if var('as_of') is none -%}
        position.maintained_through as as_of,
        {%- else -%}
        cast('{{ var("as_of") }}' as timestamp) as as_of,
        {%- endif %}
        position.journal_position
    from position
),

joined as (
    select
        memories.memory_id,
        memories.decay_model,
        memories.decay_base,
        memories.strength_floor,
        strengths.strength,
        strengths.strengthened_at,
        strengths.stability,
        moment.as_of
    from memories
    inner join strengths on memories.memory_id = strengths.memory_id
    cross join moment
),

final as (
    select
        memory_id,
        as_of,
        round({{ age_in_days('strengthened_at', 'as_of') }}, 9) as age_in_days,
        round({{ strength_at('as_of') }}, 9) as strength
    from joined
)

select * from final
