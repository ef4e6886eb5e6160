{#- The journal's vectors of the store's model alone, by memory, as arrays of one size. -#}
{%- set active = active_embedding_model_row() -%}
with identities as (
    select * from {{ ref('int_memory_identities') }}
),

embeddings as (
    select * from {{ ref('stg_journal__embeddings') }}
    where
        model_id
        = '{{ active.model_id | replace("'", "''") if active else '' }}'  -- noqa: LT05
),

final as (
    select
        identities.memory_id,
        embeddings.model_id,
        cast(embeddings.vector as float[{{ embedding_dimension() }}]) as vector
    from identities
    inner join embeddings
        on identities.content_hash = embeddings.content_hash
)

select * from final
