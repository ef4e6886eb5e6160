{#-
    Folds a memory's uses, in order, into its state: a struct of strength,
    stability, at, and a trace with one entry for each use.

    `uses` is an expression for a list of structs (event_id, use_kind, at)
    sorted by time. The other arguments are expressions of the same row.
    Each step decays the state to the moment of the use, then strengthens it:
    the floor in between makes the fold order-dependent, so it is no sum.
    The kind's settings come along with each step, since list_reduce may hand
    its lambda a column's value of another row (duckdb/duckdb#25816).
-#}
{% macro folded_uses(uses, created_at) -%}
    {{ return(adapter.dispatch('folded_uses', 'ebbing')(uses, created_at)) }}
{%- endmacro %}

{% macro duckdb__folded_uses(uses, created_at) -%}
    {%- set before = decayed_strength(
        strength='state.strength',
        stability='state.stability',
        age=age_in_days('state.at', 'step.at'),
        decay_model='step.settings.decay_model',
        decay_base='step.settings.decay_base',
        strength_floor='step.settings.strength_floor',
    ) -%}
    {%- set after = strengthened(
        before, 'step.settings.access_retention', 'step.settings.access_boost'
    ) -%}
    {%- set stability_after = stabilised(
        'state.stability', before, 'step.settings.stability_growth'
    ) -%}
    {%- set settings -%}
        {
                    'decay_model': decay_model::varchar,
                    'decay_base': decay_base::double,
                    'strength_floor': strength_floor::double,
                    'access_retention': access_retention::double,
                    'access_boost': access_boost::double,
                    'stability_growth': stability_growth::double
                }
    {%- endset -%}
    list_reduce(
        list_transform(
            {{ uses }},
            lambda use: {
                'strength': 0.0::double,
                'stability': 0.0::double,
                'at': use.at,
                'event_id': use.event_id,
                'use_kind': use.use_kind,
                'settings': {{ settings }},
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
            'strength': {{ after }},
            'stability': {{ stability_after }},
            'at': greatest(state.at, step.at),
            'event_id': step.event_id,
            'use_kind': step.use_kind,
            'settings': step.settings,
            'trace': list_append(
                state.trace,
                {
                    'event_id': step.event_id,
                    'use_kind': step.use_kind,
                    'used_at': step.at,
                    'strength_before': {{ before }},
                    'strength_after': {{ after }},
                    'stability_after': {{ stability_after }}
                }
            )
        },
        {
            'strength': initial_strength,
            'stability': initial_stability,
            'at': {{ created_at }},
            'event_id': ''::varchar,
            'use_kind': ''::varchar,
            'settings': {{ settings }},
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
