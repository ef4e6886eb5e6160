{#-
    The days that a question asks about, or no row: asked of each question
    before it is recalled, so what speaks of no time at all costs next to nothing.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=['query_text', 'as_of'],
) }}
with asked as (
    select
        {{ asked_period(
            'cast(query_text as varchar)', 'cast(as_of as timestamp)'
        ) }} as period
)

select
    period.first_day,
    period.last_day
from asked
where period is not null
