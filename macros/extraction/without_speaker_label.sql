{#- A message's text without the speaker's name before it ("Lin: I live in ..."). -#}
{% macro without_speaker_label(content, speaker) %}
    {{- return(adapter.dispatch('without_speaker_label', 'ebbing')(content, speaker)) -}}
{% endmacro %}

{% macro default__without_speaker_label(content, speaker) -%}
case
    when starts_with({{ content }}, {{ speaker }} || ': ')
        then substr({{ content }}, length({{ speaker }}) + 3)
    else {{ content }}
end
{%- endmacro %}
