{#- Built first and read by all: one run sees one state of the journal. -#}
{{ config(materialized='table') }}

with positions as (
    {% for events in [
        'messages', 'memory_writes', 'memory_changes', 'embeddings',
        'embedding_models', 'recalls', 'recall_hits', 'task_starts',
        'task_ends', 'ratings',
    ] %}
    select
        max(event_sequence) as event_sequence,
        max(recorded_at) as recorded_at
    from {{ ref('stg_journal__' ~ events) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

final as (
    select
        coalesce(max(event_sequence), 0) as journal_position,
        max(recorded_at) as maintained_through
    from positions
)

select * from final
