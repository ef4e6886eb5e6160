{#-
    A memory with all those before and after it: what it superseded, what
    superseded it, and so on. It is found by the id of any text that it counts.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    parameters=['of_memory'],
) }}
with recursive start as (
    select
        coalesce(
            (
                select known.canonical_id
                from {{ ref('known_memories') }} as known
                where known.memory_id = of_memory
            ),
            of_memory
        ) as memory_id
),

links as (
    select
        memory_id,
        superseded_by
    from {{ ref('memory_successions') }}
),

ancestors (memory_id) as (
    select start.memory_id
    from start
    union
    select links.memory_id
    from links
    inner join ancestors on links.superseded_by = ancestors.memory_id
),

chain (memory_id) as (
    select start.memory_id
    from start
    union
    select
        case
            when links.memory_id = chain.memory_id then links.superseded_by
            else links.memory_id
        end as memory_id
    from links
    inner join chain
        on
            links.memory_id = chain.memory_id
            or links.superseded_by = chain.memory_id
)

select
    chain.memory_id,
    chain.memory_id in (
        select ancestors.memory_id
        from ancestors
    ) as is_ancestor
from chain
