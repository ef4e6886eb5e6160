{#-
    A lower-case English word without its ending: plurals, -ing, -ed, and the
    silent e that these hide. Light on purpose: `hope`, `hopes`, `hoping` are
    one term and `hop`, `hopping` another; nothing else is conflated.
    `~` marks where -ing or -ed stood, for the two rules that depend on it.
-#}
{% macro stem_english(word) %}
    {{- return(adapter.dispatch('stem_english', 'ebbing')(word)) -}}
{% endmacro %}


{% macro default__stem_english(word) -%}
case
    when not regexp_matches({{ word }}, '(?:s|e|ed|ing)$')
        then {{ word }}
    else regexp_replace(replace(regexp_replace(regexp_replace(
        regexp_replace(regexp_replace(regexp_replace(regexp_replace(
            {{ word }},
            {#- families, studied, movie #}
            '^([a-z]{2,})ie[sd]?$', '\1y'),
            {#- boxes, watches, heroes #}
            '^([a-z]*(?:x|ch|sh|ss|zz)|[a-z]{3,}o)es$', '\1'),
            {#- cats; neither class nor bus nor this #}
            '^([a-z]{2,}[^sui])s$', '\1'),
            {#- walking, walked; neither thing nor need #}
            '^([a-z]*[aeiouy][a-z]*[a-df-z]|[a-z]+[aiouy])(?:ing|ed)$', '\1~'),
            {#- making, used: the e comes back #}
            '^([b-df-hj-np-tv-z]*[aeiouy][b-df-hj-np-tvz])~$', '\1e'),
            {#- running, planned: the double goes #}
            '^([a-z]{2,})(?:(b)b|(d)d|(g)g|(m)m|(n)n|(p)p|(r)r|(t)t)~$',
            '\1\2\3\4\5\6\7\8\9'),
        '~', ''),
        {#- dance, raise, promise, as danc-ing, rais-ing, promis-ing #}
        '^([a-z]*(?:[aeiouy][b-df-hj-np-tv-xz]+[aeiouy]+[b-df-hj-np-tv-xz]*|[aeiouy]{2}[b-df-hj-np-tv-xz]+|[aeiouy][b-df-hj-np-tv-xz]{2,}))e$',
        '\1')
end
{%- endmacro %}
