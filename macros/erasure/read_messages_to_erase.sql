{#-
    For an erasure: reads the messages in internal.messages_to_erase as any
    message is read, into internal.statements_to_erase, with the words that each
    statement was read from, and into internal.passages_to_erase. An operation:
    `dbt run-operation`.
-#}
{% macro read_messages_to_erase() %}
    {%- if execute -%}
        {%- set words = extraction_words() -%}
        {%- set statements = extracted_statements(
            "(from internal.messages_to_erase where role = 'user')",
            extraction_rules(words),
            extraction_exclusions(words),
            words
        ) -%}
        {%- set passages = message_passages(
            '(from internal.messages_to_erase where list_contains(['
            ~ quoted(var('episode_roles')) ~ '], role))',
            episode_exclusions()
        ) -%}
        {%- do run_query(
            'create or replace table internal.statements_to_erase as '
            ~ statements
        ) -%}
        {%- do run_query(
            'create or replace table internal.passages_to_erase as '
            ~ passages
        ) -%}
        {%- do adapter.commit() -%}
    {%- endif -%}
{% endmacro %}
