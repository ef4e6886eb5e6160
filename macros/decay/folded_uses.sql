{#-
    Folds a memory's uses, in order, into its state: a struct of strength,
    stability, at, and a trace with one entry for each use.

    `uses` is an expression for a list of structs (event_id, use_kind, at)
    sorted by time. The other arguments are expressions of the same row.
    Each step decays the state to the moment of the use, then strengthens it:
    the floor in between makes the fold order-dependent, so it is no sum.
-#}
{% macro folded_uses(uses, created_at) -%}
    {{ return(adapter.dispatch('folded_uses', 'ebbing')(uses, created_at)) }}
{%- endmacro %}

{% macro duckdb__folded_uses(uses, created_at) -%}
    {%- set before = decayed_strength(
        strength='state.strength',
        stability='state.stability',
        age=age_in_days('state.at', 'step.at'),
        decay_model='decay_model',
        decay_base='decay_base',
        strength_floor='strength_floor',
    ) -%}
    list_reduce(
        list_transform(
            {{ uses }},
            lambda use: {
                'strength': 0.0::double,
                'stability': 0.0::double,
                'at': use.at,
                'event_id': use.event_id,
                'use_kind': use.use_kind,
                'trace': []::struct(
                    event_id varchar,
                    use_kind varchar,
                    used_at timestamp,
                    strength_before double,
                    strength_after double,
                    stability_after double
                )[]
            }
        ),
        lambda state, step: {
            'strength': {{ strengthened(before, 'access_retention', 'access_boost') }},
            'stability': {{ stabilised('state.stability', before, 'stability_growth') }},
            'at': greatest(state.at, step.at),
            'event_id': step.event_id,
            'use_kind': step.use_kind,
            'trace': list_append(
                state.trace,
                {
                    'event_id': step.event_id,
                    'use_kind': step.use_kind,
                    'used_at': step.at,
                    'strength_before': {{ before }},
                    'strength_after': {{ strengthened(before, 'access_retention', 'access_boost') }},
                    'stability_after': {{ stabilised('state.stability', before, 'stability_growth') }}
                }
            )
        },
        {
            'strength': initial_strength,
            'stability': initial_stability,
            'at': {{ created_at }},
            'event_id': ''::varchar,
            'use_kind': ''::varchar,
            'trace': []::struct(
                event_id varchar,
                use_kind varchar,
                used_at timestamp,
                strength_before double,
                strength_after double,
                stability_after double
            )[]
        }
    )
{%- endmacro %}
