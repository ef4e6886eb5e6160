{#-
    A select of the terms of each memory in `relation`, how often it has each,
    and how many it has in all. `occurred_at` names its column of dates.
-#}
{% macro counted_terms(relation, occurred_at) -%}
    select
        memory_key,
        namespace,
        dated_on,
        {{ term_key('term') }} as term_key,
        term,
        cast(count(*) as uinteger) as term_frequency,
        cast(any_value(term_count) as uinteger) as term_count
    from (
        select
            memory_key,
            namespace,
            dated_on,
            len(terms) as term_count,
            unnest(terms) as term
        from (
            select
                {{ memory_key('memory_id') }} as memory_key,
                namespace,
                cast({{ occurred_at }} as date) as dated_on,
                {{ tokenise(indexed_text('content', occurred_at)) }} as terms
            from {{ relation }}
        ) as tokenised
    ) as unnested
    group by memory_key, namespace, dated_on, term
{%- endmacro %}
