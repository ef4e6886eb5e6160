{#-
    Everything that recall may find: the index, with what the journal has
    closed since, and what stands in the tail. Written out and not by stars:
    each recall plans this anew, and each layer of each column costs.
-#}
{%- set columns = [
    'memory_key', 'span', 'memory_id', 'namespace', 'kind', 'content',
    'valid_from', 'expires_at', 'created_at', 'last_accessed_at', 'strength',
    'strengthened_at', 'stability', 'decay_model', 'decay_base',
    'strength_floor', 'weight', 'initial_strength', 'initial_stability',
    'term_count', 'script', 'source', 'text_key', 'vector_key', 'episode_keys',
    'about_from', 'about_to',
] %}
select
    {% for column in columns -%}
    indexed.{{ column }},
    {% endfor -%}
    indexed.rowid as index_row,
    cast(null as bigint) as tail_row,
    case
        when indexed.valid_to is null and tail.memory_key is not null
            then greatest(tail.happened_at, indexed.valid_from)
        else indexed.valid_to
    end as valid_to,
    0 as terms_span
from {{ ref('recall_index') }} as indexed
left join {{ ref('recall_tail') }} as tail
    on indexed.memory_key = tail.memory_key and not tail.is_open
union all
select
    {% for column in columns -%}
    tail.{{ column }},
    {% endfor -%}
    cast(null as bigint) as index_row,
    tail.rowid as tail_row,
    cast(null as timestamp) as valid_to,
    case when tail.terms is null then 0 else tail.span end as terms_span
from {{ ref('recall_tail') }} as tail
where
    tail.is_standing
    -- What the index has overtaken counts no more.
    and tail.span < (
        select -settings.journal_position
        from {{ ref('recall_settings') }} as settings
    )
