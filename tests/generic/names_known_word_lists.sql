{#- A pattern names only word lists that its language has, and stays short enough to read. -#}
{% test names_known_word_lists(model, column_name) %}

with

named as (

    select
        language,
        {{ column_name }} as pattern,
        unnest(regexp_extract_all({{ column_name }}, '\{([a-z_]+)\}', 1)) as list_name

    from {{ model }}

)

select
    named.pattern,
    named.list_name

from named
where
    not exists (
        select 1
        from {{ ref('extraction_words') }} as extraction_words
        where
            extraction_words.list_name = named.list_name
            and extraction_words.language = named.language
    )

union all

select
    {{ column_name }} as pattern,
    'longer than 300 characters' as list_name

from {{ model }}
where length({{ column_name }}) > 300

{% endtest %}
