{#- The texts that have no vector of a model. -#}
{{ config(
    materialized='table_function',
    schema='main',
    parameters=['of_model'],
) }}
select
    texts.content_hash,
    texts.content
from {{ ref('int_memory_texts') }} as texts
where
    texts.content_hash not in (
        select embeddings.content_hash
        from {{ ref('stg_journal__embeddings') }} as embeddings
        where embeddings.model_id = of_model  -- noqa: RF02
    )
