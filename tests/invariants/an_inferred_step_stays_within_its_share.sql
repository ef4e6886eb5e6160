{#- What was not rated moves by its share of an inferred step, no more. -#}
select *
from {{ ref('int_weight_steps') }}
where
    rating is null
    and abs(weight_after - weight_before)
    > {{ var('inference_rate') }} * share * 2.0 + 1e-12
