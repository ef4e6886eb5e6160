{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=['content', 'query_text', 'most_characters'],
) }}
with pieces as (
    select
        unnest(cut) as piece,
        generate_subscripts(cut, 1) as place
    from (
        select
            -- Sentences, and long ones in parts; together they are the text.
            regexp_extract_all(
                cast(content as varchar),
                '[^\n.!?。！？]{1,160}[\n.!?。！？]*|[\n.!?。！？]+'
            ) as cut
    ) as texts
),

measured as (
    select
        place,
        piece,
        length(piece) as characters,
        sum(length(piece)) over (order by place) as ends_at,
        list_intersect(
            {{ tokenise('piece') }},
            {{ tokenise_query('cast(query_text as varchar)') }}
        ) as terms
    from pieces
),

stretches as (
    select
        begun.place,
        string_agg(held.piece, '' order by held.place) as passage,
        len(list_distinct(flatten(list(held.terms)))) as terms_found
    from measured as begun
    inner join measured as held
        on
            begun.place <= held.place
            and held.ends_at - begun.ends_at + begun.characters
            <= most_characters  -- noqa: RF02
    group by begun.place
)

select
    trim(passage) as passage,
    terms_found
from stretches
order by terms_found desc, place asc
limit 1
