{#-
    One hash of all that decides what is extracted: the enabled rules, the
    exclusions, and the macros that apply them. A message that was read under
    another fingerprint is read again.
-#}
{% macro rules_fingerprint(rules, exclusions, words) %}
    {{- return(local_md5(extracted_statements(
        'messages', rules, exclusions, words
    ))) -}}
{% endmacro %}
