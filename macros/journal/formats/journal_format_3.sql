{#-
    Whose words a message is, where a log of several people says so, and whether
    the log gave its time (null in what was read before: taken as given).
-#}
{% macro journal_format_3() %}
alter table journal.messages add column speaker varchar;
alter table journal.messages add column is_dated boolean;
{% endmacro %}
