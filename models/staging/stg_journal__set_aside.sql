{#-
    Rows of the journal that no model can rely on, which an older version let
    in: the other staging models leave them out. Each build looks at what came
    since the last one. A table, so that nobody who reads looks at all rows.
-#}
{{
    config(
        materialized='incremental',
        unique_key='event_sequence',
        incremental_strategy='delete+insert',
        on_schema_change='fail',
        meta={'keeps_its_rows': true},
    )
}}
-- depends_on: {{ ref('stg_builds__last_build') }}
{%- set seen = last_built_position() if is_incremental() else 0 %}
with

models_used as (

    select
        model_id,
        arg_max(dimension, event_sequence) as dimension
    from {{ source('journal', 'embedding_models') }}
    group by model_id

),

misnamed as (

    select
        'memory_writes' as journal_table,
        event_sequence,
        'its id is not that of its namespace and text' as reason
    from {{ source('journal', 'memory_writes') }}
    where
        event_sequence > {{ seen }}
        and (
            memory_id <> {{ memory_id_of('namespace', 'content') }}
            or content_hash <> sha256(content)
            or not coalesce(importance between 0 and 1, true)
        )

),

unusable_vectors as (

    select
        'embeddings' as journal_table,
        embeddings.event_sequence,
        'its vector is not one of its model' as reason
    from {{ source('journal', 'embeddings') }} as embeddings
    left join models_used on embeddings.model_id = models_used.model_id
    where
        embeddings.event_sequence > {{ seen }}
        and (
            len(embeddings.vector) <> coalesce(
                models_used.dimension, len(embeddings.vector)
            )
            or len(embeddings.vector) = 0
            or not isfinite(
                list_inner_product(embeddings.vector, embeddings.vector)
            )
            or list_inner_product(embeddings.vector, embeddings.vector) = 0
        )

),

repeated_messages as (

    select
        'messages' as journal_table,
        event_sequence,
        'another message has its id' as reason
    from {{ source('journal', 'messages') }}
    qualify
        row_number() over (
            partition by message_id
            order by event_sequence
        ) > 1

),

out_of_range as (

    select
        'ratings' as journal_table,
        event_sequence,
        'no rating from 0 to 3' as reason
    from {{ source('journal', 'ratings') }}
    where
        event_sequence > {{ seen }}
        and rating not between 0 and 3

),

final as (

    select * from misnamed
    union all
    select * from unusable_vectors
    union all
    select * from repeated_messages
    union all
    select * from out_of_range

)

select * from final
where event_sequence > {{ seen }}
