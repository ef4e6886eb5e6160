{#-
    Folds a memory's credits, in order, into its weights: a list with the
    weight after each of them.

    `credits` is an expression for a list of structs (credit, target_weight,
    learning_rate) in the order in which the tasks ended. `first_weight` is an
    expression of the same row.
-#}
{% macro folded_credits(credits, first_weight) -%}
    {{ return(adapter.dispatch('folded_credits', 'ebbing')(credits, first_weight)) }}
{%- endmacro %}

{#- The state of list_reduce has the type of the list's items, so each step carries both. -#}
{% macro duckdb__folded_credits(credits, first_weight) -%}
    {%- set after = weight_after(
        'state.weight', 'step.credit', 'step.target', 'step.rate'
    ) -%}
    list_reduce(
        list_transform(
            {{ credits }},
            lambda given: {
                'weight': 0.0::double,
                'credit': given.credit,
                'target': given.target_weight,
                'rate': given.learning_rate,
                'weights': []::double[]
            }
        ),
        lambda state, step: {
            'weight': {{ after }},
            'credit': step.credit,
            'target': step.target,
            'rate': step.rate,
            'weights': list_append(state.weights, {{ after }})
        },
        {
            'weight': {{ first_weight }},
            'credit': 0.0::double,
            'target': 0.0::double,
            'rate': 0.0::double,
            'weights': []::double[]
        }
    ).weights
{%- endmacro %}
