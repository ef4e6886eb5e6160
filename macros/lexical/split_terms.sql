{#-
    A text in lower case, cut into raw terms:
    - words, with what joins them: `session-recall` gives both parts and
      `sessionrecall`, `1.2.3` its parts and itself, `don't` only `dont`;
    - bigrams, in scripts that put no spaces between words (and in Hangul, whose
      words carry endings); a run of one character is a term by itself;
    - emoji, one by one.
    Only the first 100,000 characters count.
-#}
{% macro split_terms(expression, single_characters) %}
    {{- return(adapter.dispatch('split_terms', 'ebbing')(
        expression, single_characters
    )) -}}
{% endmacro %}


{% macro default__split_terms(expression, single_characters) -%}
    {{- exceptions.raise_compiler_error(
        "ebbing has no tokeniser for this engine: write a macro <engine>__split_terms"
    ) -}}
{%- endmacro %}


{#- RE2 has no look-around and no class subtraction: a word character is what is
    in none of the other classes. Bigrams are the pairs from the first character
    and the pairs from the second, which stays linear on a run of any length. -#}
{% macro duckdb__split_terms(expression, single_characters) -%}
{%- set run = '\\p{Han}\\p{Hiragana}\\p{Katakana}ー\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}' -%}
{%- set emoji = '\\x{2300}-\\x{23FF}\\x{2600}-\\x{27BF}\\x{2B50}\\x{2B55}\\x{1F000}-\\x{1F3FA}\\x{1F400}-\\x{1FAFF}' -%}
{%- set start = '[^\\p{Z}\\p{P}\\p{S}\\p{C}\\p{M}' ~ run ~ emoji ~ ']' -%}
{%- set word = start ~ '[^\\p{Z}\\p{P}\\p{S}\\p{C}' ~ run ~ emoji ~ ']*' -%}
{%- set wide = 'ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ０１２３４５６７８９' -%}
{%- set narrow = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789' -%}
flatten(list_transform(
    list_transform(regexp_extract_all(
        list_transform(
            [lower(nfc_normalize(left(coalesce({{ expression }}, ''), 100000)))],
            lambda body: case
                when regexp_matches(body, '[０-９Ａ-Ｚａ-ｚ]')
                    then translate(body, '{{ wide }}', '{{ narrow }}')
                else body
            end
        )[1],
        '[0-9]{1,3}(?:,[0-9]{3})+'
        || '|{{ word }}(?:(?:[-.''’‐‑]|_+){{ word }})*(?:[+][+]|[#%])?'
        || '|[\p{Han}\p{Hiragana}\p{Katakana}ー]+|\p{Hangul}+|\p{Thai}+'
        || '|\p{Lao}+|\p{Khmer}+|\p{Myanmar}+'
        || '|[\x{1F1E6}-\x{1F1FF}]{2}|[{{ emoji }}]'
    ), lambda piece: case
        {#- Caroline's, l'homme, don't; a hash ends a word only in c# #}
        when regexp_matches(piece, '[''’]|..#$')
            then regexp_replace(regexp_replace(regexp_replace(piece,
                '[''’]s?$|#$', ''),
                '^(?:[cdjlmnst]|qu)[''’]', ''),
                '[''’]', '', 'g')
        else piece
    end),
    lambda piece: case
        when regexp_full_match(piece, '[a-z0-9]+')
            then [piece]
        when regexp_matches(piece, '^[{{ run }}]{2}')
            then list_concat(
                regexp_extract_all(piece, '..'),
                regexp_extract_all(substring(piece, 2), '..')
                {%- if single_characters %},
                regexp_extract_all(piece, '[\p{Han}\p{Hangul}]')
                {%- endif %}
            )
        when regexp_full_match(piece, '[0-9]{1,3}(?:,[0-9]{3})+')
            then [replace(piece, ',', '')]
        when regexp_full_match(piece, '[a-z](?:[+][+]|#)')
            then [piece]
        when regexp_matches(piece, '[-.‐‑_%+#]')
            then list_distinct(list_append(
                regexp_extract_all(piece, '[^-.‐‑_%+#]+'),
                case
                    when regexp_matches(piece, '[0-9][.][0-9]') then piece
                    else regexp_replace(piece, '[-.‐‑_]', '', 'g')
                end
            ))
        else [piece]
    end
))
{%- endmacro %}
