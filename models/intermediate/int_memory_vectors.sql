{#- Vectors of the store's model alone, as fixed-size arrays of unit length. -#}
{%- set active = active_embedding_model_row() -%}
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='fail',
) }}

with identities as (
    select * from {{ ref('int_memory_identities') }}
),

embeddings as (
    select * from {{ ref('stg_journal__embeddings') }}
    where model_id = '{{ active.model_id if active else '' }}'  -- noqa: LT05
),

final as (
    select
        identities.memory_id,
        embeddings.model_id,
        cast(embeddings.vector as float[{{ embedding_dimension() }}]) as vector
    from identities
    inner join embeddings
        on identities.content_hash = embeddings.content_hash
    {% if is_incremental() %}
    where identities.memory_id not in (select known.memory_id from {{ this }} as known)
    {% endif %}
)

select * from final
