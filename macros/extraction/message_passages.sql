{#-
    What a message says, in passages that can be recalled: a select with
    message_id, passage_seq and content. What some tool put into the message,
    code and pasted logs are left out as readable_text does; a text longer than
    var episode_characters is cut where a sentence ends; a passage that says
    nothing (seed episode_exclusions) or is mostly code makes none.

    messages: a relation with message_id and content
-#}
{% macro message_passages(messages, exclusions) -%}
with

readable_messages as (

    select
        message_id,
        {{ readable_text('content') }} as readable

    from {{ messages }}

),

numbered_sentences as (

    select
        message_id,
        unnest(message_sentences) as sentence,
        generate_subscripts(message_sentences, 1) as sentence_seq

    from (
        select
            message_id,
            {{ bounded_pieces(
                sentences('readable'), var('episode_characters')
            ) }} as message_sentences
        from readable_messages
    ) as cut_messages

),

-- Each sentence goes to the passage in which it ends.
placed_sentences as (

    select
        *,
        (
            sum(length(sentence)) over (
                partition by message_id
                order by sentence_seq
            ) - 1
        ) // {{ var('episode_characters') }} as passage_seq

    from numbered_sentences

),

passages as (

    select
        message_id,
        passage_seq,
        string_agg(sentence, ' ' order by sentence_seq) as content

    from placed_sentences
    group by message_id, passage_seq

),

judged as (

    select
        *,
        {{ is_mostly_code('content') }} as is_mostly_code,
        len({{ tokenise('content') }}) as token_count,
        (
            false
            {%- for exclusion in exclusions %}
            or {{ pattern_matches('content', exclusion.pattern) }}
            {%- endfor %}
        ) as is_excluded

    from passages

)

select
    message_id,
    passage_seq::integer as passage_seq,
    nfc_normalize(content) as content

from judged
where
    not is_mostly_code
    and not is_excluded
    and token_count >= {{ var('episode_words') }}
{%- endmacro %}
