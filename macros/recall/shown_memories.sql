{#-
    A select of `relation`, which has keys, with all that is shown of a memory:
    the text is read for these few alone, from the index or from the tail, by the
    number of the row, which is found at once.
-#}
{% macro shown_memories(relation) -%}
    select
        {{ relation }}.*,
        {% for column in [
            'memory_id', 'kind', 'content', 'last_accessed_at', 'source'
        ] -%}
        coalesce(indexed.{{ column }}, tail.{{ column }}) as {{ column }}
        {%- if not loop.last %},
        {% endif %}
        {%- endfor %}
    from {{ relation }}
    left join {{ ref('recall_index') }} as indexed
        on {{ relation }}.index_row = indexed.rowid
    left join {{ ref('recall_tail') }} as tail
        on {{ relation }}.tail_row = tail.rowid
{%- endmacro %}
