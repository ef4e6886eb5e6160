{#- The messages that these rules have not read: what counts as unread, for all who ask. -#}
{% macro unread_messages(read_relation, messages_relation, fingerprint) -%}
select messages.*
from {{ messages_relation }} as messages
where
    messages.role = 'user'
    {%- if read_relation %}
    and not exists (
        select 1
        from {{ read_relation }} as already_read
        where
            already_read.message_id = messages.message_id
            and already_read.rules_fingerprint = '{{ fingerprint }}'
    )
    {%- endif %}
{%- endmacro %}
