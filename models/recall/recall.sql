{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=[
        'query_vector',
        'query_text := null',
        'top_k := 5',
        "namespaces := ['default']",
        'kinds := null',
        'min_similarity := 0.0',
        'as_of := cast(null as timestamp)',
        'asked_from := cast(null as date)',
        'asked_to := cast(null as date)',
        'least_share := cast(null as double)',
    ],
) }}
{{ scored_memories(
    'select 1 as query_id, query_vector as query_vector, '
    ~ 'cast(query_text as varchar) as query_text'
) }},

recalled as (
    select *
    from ranked
    where recall_rank <= top_k
),

shown as (
    {{ shown_memories('recalled') }}
)

select
    memory_id,
    kind,
    content,
    similarity,
    lexical_score,
    strength,
    weight,
    score,
    created_at,
    last_accessed_at,
    source,
    is_outdated
from shown
order by recall_rank
