{#-
    A captured part that begins with a verb, told of one person: "study law" is
    "studies law", "usually have lunch late" is "usually has lunch late".
-#}
{% macro third_person_verb(text) %}
    {{- return(adapter.dispatch('third_person_verb', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__third_person_verb(text) -%}
{%- set before = "'^(?:(?i:always|never|often|usually|normally|typically|generally|mostly|mainly"
    ~ "|rarely|sometimes|still|also|only|really|no longer)\\s+)*'" -%}
{%- set verb = "regexp_extract(substr(" ~ text ~ ", length(regexp_extract(" ~ text ~ ", "
    ~ before ~ ")) + 1), '^[A-Za-z'']+')" -%}
concat(
    regexp_extract({{ text }}, {{ before }}),
    case
        when lower({{ verb }}) = 'have' then 'has'
        when lower({{ verb }}) in ('am', 'are') then 'is'
        when lower({{ verb }}) in ('don''t', 'dont') then 'doesn''t'
        when regexp_matches({{ verb }}, '(?i)[^aeiou]y$')
            then regexp_replace({{ verb }}, 'y$', 'ies')
        when regexp_matches({{ verb }}, '(?i)(?:s|sh|ch|x|z|o)$') then {{ verb }} || 'es'
        else {{ verb }} || 's'
    end,
    substr(
        {{ text }},
        length(regexp_extract({{ text }}, {{ before }})) + length({{ verb }}) + 1
    )
)
{%- endmacro %}
