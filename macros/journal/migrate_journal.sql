{#-
    Brings the journal to the newest format, each step in a transaction of its
    own; does nothing on a store that has it. The runner does the same before it
    writes. Run here and not as the hook's statement: dbt builds on after a
    statement that failed, and stops where a query of a macro does.
-#}
{% macro migrate_journal() %}
    {%- if execute -%}
        {%- set found = journal_format() -%}
        {%- set newest = newest_journal_format() -%}
        {%- if not found.isdigit() or found | int > newest -%}
            {{- exceptions.raise_compiler_error(
                'the store has format ' ~ found
                ~ ' and this version reads up to ' ~ newest
                ~ '; it was not touched; upgrade: pip install --upgrade ebbing'
            ) -}}
        {%- endif -%}
        {%- set found = found | int -%}
        {%- if 0 < found < newest -%}{%- do copy_journal(found) -%}{%- endif -%}
        {%- for number in range(found + 1, newest + 1) -%}
            {%- do run_query(context['journal_format_' ~ number]()) -%}
            {%- do run_query(
                'insert into journal.store_settings'
                ~ ' (event_id, setting, setting_value, recorded_at) values'
                ~ " (uuidv7()::varchar, 'format_version', '" ~ number
                ~ "', now() at time zone 'UTC')"
            ) -%}
            {%- do adapter.commit() -%}
        {%- endfor -%}
    {%- endif -%}
{% endmacro %}
