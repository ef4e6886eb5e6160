{#- A credit above 0 lowers no weight, one below 0 raises none, none moves none. -#}
select *
from {{ ref('int_weight_steps') }}
where
    (credit > 0.0 and weight_after < weight_before)
    or (credit < 0.0 and weight_after > weight_before)
    or (credit = 0.0 and weight_after <> weight_before)
