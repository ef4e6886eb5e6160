{#-
    A select of the terms of each memory in `relation`, how often it has each,
    and how many it has in all. `occurred_at` names its column of dates.
-#}
{% macro counted_terms(relation, occurred_at) -%}
    select
        memory_id,
        namespace,
        {{ occurred_at }},
        term,
        count(*) as term_frequency,
        any_value(term_count) as term_count
    from (
        select
            memory_id,
            namespace,
            {{ occurred_at }},
            len(terms) as term_count,
            unnest(terms) as term
        from (
            select
                memory_id,
                namespace,
                {{ occurred_at }},
                {{ tokenise(indexed_text('content', occurred_at)) }} as terms
            from {{ relation }}
        ) as tokenised
    ) as unnested
    group by memory_id, namespace, {{ occurred_at }}, term
{%- endmacro %}
