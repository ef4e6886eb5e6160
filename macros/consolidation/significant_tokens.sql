{#-
    What a text says, as tokens that can be compared: one row a text.

    texts_relation: content_hash, content (one row a hash).
    words_relation: the seed comparison_words, whose roles are told there.

    words            the words that matter, in order, in one form for all
                     synonyms and endings; no fillers, no copula, no negation
    kinds            for each word: name, word, han, surname, number, date,
                     unit, circumstance, state, origin, place, identifier
    surfaces         for each word: as it was written
    statement        words with @user, @not and @ceased where they stood, as one
                     text
    bare_statement   the same without his, her, their
    core             words without the verbs that "stopped tea" leaves out
    polarity         positive, negated, ceased or mixed
    copula_at, quantity_at, count_at, functional_at, rename_at
                     how many words stand up to the first such predicate
                     (null: none)
    noun_at, named_noun_at, one_of_many_at
                     where the first such noun stands (null: none)
    Depends on the text and the seed alone, so it is computed once per text.
-#}
{% macro significant_tokens(texts_relation, words_relation) -%}
with vocabulary_tokens as (

    select
        role,
        nullif(lower(canonical), '') as canonical,
        {{ text_tokens('lower(word)') }} as tokens,
    from {{ words_relation }}

),

vocabulary as (

    select
        role,
        list_transform(tokens, lambda token: {{ light_stem('token') }}) as phrase,
        len(tokens) as phrase_length,
        coalesce(canonical, array_to_string(phrase, ' ')) as canonical,
        tokens[1] as first_token,
    from vocabulary_tokens
    where len(tokens) > 0

),

settled as (

    select
        content_hash,
        {{ settled_measures('content') }} as content,
    from {{ texts_relation }}

),

cut as (

    select
        content_hash,
        -- A short key: what follows sorts by it.
        row_number() over () as text_number,
        {{ text_tokens('content') }} as tokens,
    from settled

),

placed as (

    select
        text_number,
        unnest(tokens) as token,
        generate_subscripts(tokens, 1) as position,
    from cut

),

stems as (

    select
        token,
        {{ light_stem('lower(token)') }} as stem,
    from (select distinct token from placed)

),

stemmed as (

    select
        placed.text_number,
        placed.position,
        placed.token,
        stems.stem,
        [
            placed.token,
            lead(placed.token, 1) over text_order,
            lead(placed.token, 2) over text_order,
            lead(placed.token, 3) over text_order,
            lead(placed.token, 4) over text_order,
        ] as tokens_ahead,
        [
            stems.stem,
            lead(stems.stem, 1) over text_order,
            lead(stems.stem, 2) over text_order,
            lead(stems.stem, 3) over text_order,
            lead(stems.stem, 4) over text_order,
        ] as ahead,
    from placed
    inner join stems on placed.token = stems.token
    window text_order as (
        partition by placed.text_number order by placed.position
    )

),

-- The longest phrase of the vocabulary that begins at each token.
matched as (

    select
        stemmed.text_number,
        stemmed.position,
        -- Of two with one stem ("quit", "quite"), the one that is written.
        max_by(
            struct_pack(
                role := vocabulary.role,
                canonical := vocabulary.canonical,
                phrase_length := vocabulary.phrase_length
            ),
            (
                vocabulary.phrase_length,
                lower(stemmed.token) = vocabulary.first_token,
                vocabulary.role,
                vocabulary.canonical
            )
        ) as entry,
    from stemmed
    inner join vocabulary
        on stemmed.stem = vocabulary.phrase[1]
        and stemmed.ahead[1:vocabulary.phrase_length] = vocabulary.phrase
    -- "Vitamin A" is not an article.
    where not (stemmed.token = 'A' and stemmed.position > 1)
    group by stemmed.text_number, stemmed.position

),

-- Where phrases overlap, the one that begins first wins.
read as (

    select
        stemmed.*,
        matched.entry.role as role,
        matched.entry.canonical as canonical,
        coalesce(matched.entry.phrase_length, 1) as phrase_length,
        coalesce(
            max(stemmed.position + matched.entry.phrase_length) over (
                partition by stemmed.text_number
                order by stemmed.position
                rows between unbounded preceding and 1 preceding
            ) > stemmed.position,
            false
        ) as is_covered,
    from stemmed
    left join matched
        on stemmed.text_number = matched.text_number
        and stemmed.position = matched.position

),

judged as (

    select
        text_number,
        position,
        case
            when role is not null and role not in ('synonym', 'word') then role
            when regexp_matches(token, '^v?\d+(\.\d+)*:\d\d|^\d{4}-\d\d(-\d\d)?$')
                then 'date'
            when regexp_matches(token, '^v?\d[\d.,/:+-]*$') then 'number'
            when regexp_matches(token, '^\p{Han}') then 'han'
            when position > 1 and regexp_matches(token, '\p{Lu}') then 'name'
            else 'word'
        end as role,
        case
            when canonical is not null then canonical
            when position > 1 and regexp_matches(token, '\p{Lu}') and role is null
                then lower(token)
            else stem
        end as word,
        case
            when regexp_matches(token, '^\p{Han}')
                then array_to_string(tokens_ahead[1:phrase_length], '')
            else array_to_string(tokens_ahead[1:phrase_length], ' ')
        end as surface,
        regexp_matches(token, '^\p{Han}') as is_han,
        position > 1 and regexp_matches(token, '\p{Lu}') as is_capital,
        lead(role in ('date', 'number') or regexp_matches(token, '^\d'))
            over text_order as is_before_number,
        coalesce(regexp_matches(tokens_ahead[2], '[a-z]ed$'), false) as is_before_past,
        bool_and(coalesce(role in ('filler', 'default_subject'), false)) over (
            partition by text_number order by position
            rows between unbounded preceding and current row
        ) as is_leading,
    from read
    where not is_covered
    window text_order as (partition by text_number order by position)

),

weighed as (

    select
        text_number,
        position,
        word,
        surface,
        is_han,
        is_capital,
        role,
        not (
            role in (
                'filler', 'copula', 'negation', 'cessation', 'no_more',
                'beginning', 'rename'
            )
            or (role = 'default_subject' and is_leading)
            or (role = 'time_preposition' and coalesce(is_before_number, false))
            or (role = 'count_predicate' and is_before_past)
        ) as is_word,
        -- What a statement keeps and the words do not.
        role in ('negation', 'cessation', 'default_subject') as is_marker,
    from judged

),

{# An opposite and its kind ("dislike") is a negation and a word in one. -#}
counted as (

    select
        *,
        role = 'opposite' as is_opposite,
        count(*) filter (where is_word) over (
            partition by text_number order by position
            rows between unbounded preceding and current row
        ) as word_number,
    from weighed

),

gathered as (

    select
        text_number,
        -- Sorted once; the lists below are cut from it.
        list(
            struct_pack(
                marked := word,
                word := case when is_opposite then word[6:] else word end,
                surface := surface,
                is_word := is_word,
                is_core := is_word and role != 'elidable_verb',
                is_bare := role != 'possessive',
                kind := case
                    when role = 'identifier_noun' then 'identifier'
                    when role in (
                        'name', 'han', 'surname', 'number', 'date', 'unit',
                        'circumstance', 'origin', 'place'
                    ) then role
                    when role = 'state' and (is_han or not is_capital) then 'state'
                    when is_han then 'han'
                    when is_capital then 'name'
                    -- "the branch is protected" tells a state, not a value.
                    when role = 'word' and regexp_matches(word, '[a-z]{3}ed$')
                        then 'state'
                    else 'word'
                end
            )
            order by position
        ) filter (where is_word or is_marker) as parts,
        count(*) filter (where role in ('negation', 'opposite')) as negations,
        count(*) filter (where role = 'cessation') as cessations,
        count(*) filter (where role = 'no_more') as no_mores,
        min(word_number) filter (where role = 'copula') as copula_at,
        min(word_number) filter (where role = 'quantity_predicate')
            as quantity_at,
        min(word_number) filter (where role = 'count_predicate' and is_word)
            as count_at,
        min(word_number) filter (
            where role in ('functional_predicate', 'named_predicate')
        ) as functional_at,
        min(word_number) filter (where role = 'named_predicate')
            as named_predicate_at,
        min(word_number) filter (where role = 'rename') as rename_at,
        min(word_number) filter (where role = 'functional_noun') as noun_at,
        min(word_number) filter (where role = 'named_noun') as named_noun_at,
        min(word_number) filter (where role = 'one_of_many') as one_of_many_at,
        bool_or(
            role in ('functional_predicate', 'functional_noun') and word = 'name'
        ) as is_naming,
    from counted
    group by text_number

),

sorted as (

    select
        * exclude (parts),
        list_filter(coalesce(parts, []), lambda part: part.is_word) as word_parts,
        array_to_string(
            list_transform(coalesce(parts, []), lambda part: part.marked), ' '
        ) as statement,
        array_to_string(
            list_transform(
                list_filter(coalesce(parts, []), lambda part: part.is_bare),
                lambda part: part.marked
            ),
            ' '
        ) as bare_statement,
    from gathered

),

significant as (

    select
        cut.content_hash,
        coalesce(list_transform(word_parts, lambda part: part.word), []) as words,
        coalesce(list_transform(word_parts, lambda part: part.kind), []) as kinds,
        coalesce(list_transform(word_parts, lambda part: part.surface), [])
            as surfaces,
        {{ settled_statement('statement', 'no_mores') }} as statement,
        {{ settled_statement('bare_statement', 'no_mores') }} as bare_statement,
        coalesce(
            list_transform(
                list_filter(word_parts, lambda part: part.is_core),
                lambda part: part.word
            ),
            []
        ) as core,
        case
            when cessations > 0 and negations > 0 then 'mixed'
            when negations > 1 then 'mixed'
            when cessations > 0 or (no_mores > 0 and negations > 0) then 'ceased'
            when negations = 1 then 'negated'
            else 'positive'
        end as polarity,
        copula_at,
        quantity_at,
        count_at,
        functional_at,
        named_predicate_at,
        rename_at,
        noun_at,
        named_noun_at,
        one_of_many_at,
        is_naming,
    from cut
    left join sorted on cut.text_number = sorted.text_number

)

select * from significant
{%- endmacro %}
