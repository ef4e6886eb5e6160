{#-
    One hash of all that decides what is extracted: the enabled rules and the
    exclusions. A message read under another fingerprint is read again.
-#}
{% macro rules_fingerprint(rules, exclusions) %}
    {{- return(adapter.dispatch('rules_fingerprint', 'ebbing')(rules, exclusions)) -}}
{% endmacro %}

{% macro default__rules_fingerprint(rules, exclusions) -%}
select md5(coalesce(string_agg(line, chr(10) order by line), '')) as rules_fingerprint
from (
    select concat_ws(
        chr(31), 'rule', rule_id, language, kind, pattern, template,
        priority::varchar
    ) as line
    from {{ rules }}
    where is_enabled

    union all

    select concat_ws(
        chr(31), 'exclusion', pattern_id, language, applies_to, pattern
    ) as line
    from {{ exclusions }}
)
{%- endmacro %}
