{#-
    A relevance for ranking alone, from 0 to 1: the memory's own, with that of
    the better of its neighbours and of the best of its stretch of talk, and
    the name of who said it where the question names them. The rankings that
    are a plain product stay one.
-#}
{% macro relevance_in_context(relevance, neighbour, stretch, is_speaker_named) -%}
    {%- if var('ranking') != 'balanced' -%}
    {{ relevance }}
    {%- else -%}
    {%- set whole = 1.0 + var('neighbour_share') + var('stretch_share')
        + var('speaker_share') -%}
    (
        {{ relevance }}
        + {{ var('neighbour_share') }} * {{ neighbour }}
        + {{ var('stretch_share') }} * {{ stretch }}
        + case when {{ is_speaker_named }} then {{ var('speaker_share') }} else 0.0 end
    ) / {{ whole }}
    {%- endif -%}
{%- endmacro %}
