{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=[
        'queries_table',
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
    'select query_id, query_vector, cast(query_text as varchar) as query_text '
    ~ 'from query_table(queries_table)'
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
    query_id,
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
order by query_id, recall_rank
