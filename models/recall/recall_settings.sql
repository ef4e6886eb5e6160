{#-
    One row with all that a query is judged by, so that it reads one small
    table: how far the index goes, what the model's cosines mean, stop words.
    Built behind the index, as it says how far that one goes.
-#}
{{ config(materialized='table') }}
{%- set active = active_embedding_model_row() %}
-- depends_on: {{ ref('recall_index') }}
with position as (
    select * from {{ ref('int_journal_position') }}
),

embedding_models as (
    select *
    from {{ ref('embedding_models') }}
    where model_id in ('{{ active.model_id if active else '*' }}', '*')
    order by model_id = '*'
    limit 1
),

stop_words as (
    select list(word order by word) as stop_words
    from {{ ref('stop_words') }}
),

final as (
    select
        position.journal_position,
        embedding_models.background_deviation,
        -- A model that nobody measured is taken at its word.
        case
            when embedding_models.model_id = '*' then 0.0
            else {{ var('least_share') }}
        end as least_share,
        stop_words.stop_words
    from embedding_models
    cross join position
    cross join stop_words
)

select * from final
