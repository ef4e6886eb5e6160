{#- All vectors that are compared come from one model and have length 1. -#}
select
    memory_id,
    model_id
from {{ ref('int_memory_vectors') }}
where
    abs(sqrt(list_dot_product(vector::float[], vector::float[])) - 1.0) > 1e-3
    or model_id <> (
        select arg_max(models.model_id, models.event_sequence)
        from {{ ref('stg_journal__embedding_models') }} as models
    )
