{#-
    A memory's text that is told of nobody yet ("my dentist is ...", 我把车停在三层)
    as one about the user: "User's dentist is ...", 用户把车停在三层.
-#}
{% macro without_first_person(text) %}
    {{- return(adapter.dispatch('without_first_person', 'ebbing')(text)) -}}
{% endmacro %}

{% macro default__without_first_person(text) -%}
{%- set past = 'was|had|did|went|got|bought|took|left|met|saw|made|found|came|began|ate|put|gave|'
    ~ 'told|said|sold|lost|won|paid|kept|ran|wrote|broke|chose|quit|set|cut|built|spent|flew|'
    ~ 'drove|grew|fell|felt|let|read|sent|taught|thought|parked|can|could|will|would|should|must|'
    ~ 'may|might|cannot|can''t|won''t|couldn''t|didn''t|[a-z]+ed' -%}
{%- set rest = "regexp_replace(" ~ text ~ ", '(?i)^(?:i|we)\\s+', '')" -%}
case
    when regexp_matches({{ text }}, '(?i)^(?:my|our) ')
        then 'User''s ' || {{ in_third_person("substr(" ~ text ~ ", strpos(" ~ text ~ ", ' ') + 1)") }}
    when regexp_matches({{ text }}, '(?i)^i(?:''m|m| am) ')
        then 'User is ' || {{ in_third_person("regexp_replace(" ~ text ~ ", '(?i)^i(?:''m|m| am) ', '')") }}
    when regexp_matches({{ text }}, '(?i)^we(?:''re| are) ')
        then 'User''s team is ' || {{ in_third_person("regexp_replace(" ~ text ~ ", '(?i)^we(?:''re| are) ', '')") }}
    when regexp_matches({{ text }}, '(?i)^(?:i|we)(?:''ve|''d|''ll) ')
        then 'User: ' || {{ in_third_person("regexp_replace(" ~ text ~ ", '(?i)^(?:i|we)(?:''ve|''d|''ll) ', '')") }}
    when regexp_matches({{ text }}, '(?i)^(?:i|we) (?:{{ past.replace("'", "''") }})\b')
        then case when regexp_matches({{ text }}, '(?i)^we') then 'User''s team ' else 'User ' end
            || {{ in_third_person(rest) }}
    when regexp_matches({{ text }}, '(?i)^(?:i|we) ')
        then case when regexp_matches({{ text }}, '(?i)^we') then 'User''s team ' else 'User ' end
            || {{ in_third_person(third_person_verb(rest)) }}
    when regexp_matches({{ text }}, '^我们')
        then '用户的团队' || {{ in_third_person("regexp_replace(" ~ text ~ ", '^我们的?', '')") }}
    else {{ in_third_person(text) }}
end
{%- endmacro %}
