{#- Whatever the dates, a strength at the time of the report is at most 1 and no NaN. -#}
select memory_id
from {{ ref('long_term_memory') }}
where
    isnan(strength)
    or strength > 1.0
    or {{ strength_at("timestamp '1970-01-01'") }} > 1.0
    or {{ strength_at("timestamp '2100-01-01'") }} < strength_floor
