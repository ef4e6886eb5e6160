{#-
    What a scope holds at a moment, without a query. No namespace given is the
    default one, and an empty list is none.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    parameters=[
        "namespaces := ['default']",
        'as_of := cast(null as timestamp)',
    ],
) }}
with moment as (
    select {{ asked_moment('as_of') }} as as_of
)

select
    candidates.memory_id,
    candidates.namespace,
    candidates.kind,
    candidates.content,
    candidates.created_at,
    candidates.valid_from,
    candidates.expires_at,
    candidates.source
from {{ ref('recall_candidates') }} as candidates
cross join moment
where
    -- A parameter belongs to no relation.
    list_contains(  -- noqa: RF02
        cast(namespaces as varchar[]), candidates.namespace  -- noqa: RF02
    )
    and candidates.namespace <> ''
    and candidates.valid_from <= moment.as_of
    and (candidates.valid_to is null or candidates.valid_to > moment.as_of)
    and (
        candidates.expires_at is null
        or candidates.expires_at > moment.as_of
    )
