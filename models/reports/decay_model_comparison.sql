{#-
    How well each candidate's strength would have foretold whether a memory,
    when it was retrieved, was of use: log loss, by decay model and parameters.
    Of use is a rating of 2 or 3 in the task or, without a rating, an access.
    The last row is the loss of always saying the overall share.
-#}
{{ config(materialized='view', schema='main', access='public') }}

with candidates as (
    select
        *,
        cast(1.0 as double) as initial_strength
    from {{ ref('tuning_candidates') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

uses as (
    select * from {{ ref('int_memory_uses') }}
),

observations as (
    select * from {{ ref('int_retrievals_judged') }}
),

use_lists as (
    select
        memory_id,
        list(
            struct_pack(event_id, use_kind, at := used_at)
            order by used_at, event_id
        ) as uses
    from uses
    group by memory_id
),

observed as (
    select distinct memory_id
    from observations
),

folded as (
    select
        candidate_id,
        memory_id,
        created_at,
        {{ folded_uses('uses', 'created_at') }} as state
    from (
        select
            candidates.*,
            memories.memory_id,
            memories.created_at,
            coalesce(use_lists.uses, []) as uses
        from observed
        inner join memories on observed.memory_id = memories.memory_id
        left join use_lists on observed.memory_id = use_lists.memory_id
        cross join candidates
    ) as inputs
),

-- The state at creation, and after each use.
states as (
    select
        folded.candidate_id,
        folded.memory_id,
        folded.created_at as since,
        candidates.initial_strength as strength,
        candidates.initial_stability as stability
    from folded
    inner join candidates on folded.candidate_id = candidates.candidate_id
    union all
    select
        folded.candidate_id,
        folded.memory_id,
        step.used_at as since,
        step.strength_after as strength,
        step.stability_after as stability
    from folded
    cross join unnest(folded.state.trace) as steps (step)
),

before_each as (
    select
        states.candidate_id,
        observations.memory_id,
        observations.event_id,
        observations.occurred_at,
        observations.was_of_use,
        arg_max(states.strength, states.since) as strength,
        arg_max(states.stability, states.since) as stability,
        max(states.since) as since
    from observations
    inner join states
        on
            observations.memory_id = states.memory_id
            and observations.occurred_at > states.since
    group by all
),

foretold as (
    select
        before_each.*,
        candidates.decay_model,
        least(0.999, greatest(0.001, {{ decayed_strength(
            strength='before_each.strength',
            stability='before_each.stability',
            age=age_in_days('before_each.since', 'before_each.occurred_at'),
            decay_model='candidates.decay_model',
            decay_base='candidates.decay_base',
            strength_floor='candidates.strength_floor',
        ) }})) as chance
    from before_each
    inner join candidates on before_each.candidate_id = candidates.candidate_id
),

measured as (
    select
        *,
        -ln(case when was_of_use then chance else 1.0 - chance end) as loss
    from foretold
),

losses as (
    select
        candidate_id,
        decay_model,
        count(*) as observations,
        avg(case when was_of_use then 1.0 else 0.0 end) as used_share,
        -- Added up in one order: the last digit of a sum depends on it.
        avg(chance order by chance) as mean_strength,
        avg(loss order by loss) as log_loss
    from measured
    group by candidate_id, decay_model
),

overall as (
    select
        'always the overall share' as candidate_id,
        'none' as decay_model,
        any_value(observations) as observations,
        any_value(used_share) as used_share,
        any_value(used_share) as mean_strength,
        case
            when any_value(used_share) in (0.0, 1.0) then 0.0
            else
                -any_value(used_share) * ln(any_value(used_share))
                - (1.0 - any_value(used_share))
                * ln(1.0 - any_value(used_share))
        end as log_loss
    from losses
    having count(*) > 0
),

final as (
    select * from losses
    union all
    select * from overall
)

select * from final
order by log_loss, candidate_id
