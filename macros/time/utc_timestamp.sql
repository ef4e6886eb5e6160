{#-
    A UTC timestamp from a timestamp with or without a zone; one without is
    taken as UTC. A cast would depend on the session's time zone.
-#}
{% macro utc_timestamp(expression) -%}
    {{ return(adapter.dispatch('utc_timestamp', 'ebbing')(expression)) }}
{%- endmacro %}

{% macro default__utc_timestamp(expression) -%}
    cast({{ expression }} as timestamp)
{%- endmacro %}

{#- epoch_us reads both types as instants, so the session's zone plays no part. -#}
{% macro duckdb__utc_timestamp(expression) -%}
    make_timestamp(epoch_us({{ expression }}))
{%- endmacro %}
