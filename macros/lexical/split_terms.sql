{#-
    A text in lower case, cut into raw terms:
    - words, with what joins them: `session-recall` gives both parts and
      `sessionrecall`, as `sessionRecall` does, `1.2.3` its parts and itself,
      `don't` only `dont`;
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
    in none of the other classes. The classes are spelled as ranges, since
    `\p{...}` made the pattern so large that compiling it was most of a recall.
    Bigrams are the pairs from the first character and the pairs from the second,
    which stays linear on a run of any length. -#}
{% macro duckdb__split_terms(expression, single_characters) -%}
{%- set han = '\\x{2E80}-\\x{2FDF}\\x{3005}-\\x{3007}\\x{3400}-\\x{4DBF}\\x{4E00}-\\x{9FFF}\\x{F900}-\\x{FAFF}\\x{20000}-\\x{3FFFF}' -%}
{%- set kana = '\\x{3040}-\\x{30FF}\\x{31F0}-\\x{31FF}\\x{FF66}-\\x{FF9F}' -%}
{%- set hangul = '\\x{1100}-\\x{11FF}\\x{3130}-\\x{318F}\\x{A960}-\\x{A97F}\\x{AC00}-\\x{D7FF}' -%}
{%- set thai_lao = '\\x{0E00}-\\x{0EFF}' -%}
{%- set khmer_burmese = '\\x{1000}-\\x{109F}\\x{1780}-\\x{17FF}\\x{A9E0}-\\x{A9FF}\\x{AA60}-\\x{AA7F}' -%}
{%- set run = han ~ kana ~ hangul ~ thai_lao ~ khmer_burmese -%}
{%- set emoji = '\\x{2300}-\\x{23FF}\\x{2600}-\\x{27BF}\\x{2B50}\\x{2B55}\\x{1F000}-\\x{1F3FA}\\x{1F400}-\\x{1FAFF}' -%}
{%- set marks = '\\x00-/:-@\\[-`{-\\x{A9}\\x{AB}-\\x{B4}\\x{B6}-\\x{B9}\\x{BB}-\\x{BF}\\x{D7}\\x{F7}\\x{037E}\\x{0387}\\x{055A}-\\x{055F}\\x{0589}\\x{05BE}\\x{060C}\\x{061B}\\x{061F}\\x{066A}-\\x{066D}\\x{06D4}\\x{0964}\\x{0965}\\x{1361}-\\x{1368}\\x{1680}\\x{2000}-\\x{2BFF}\\x{2E00}-\\x{2E7F}\\x{3000}-\\x{303F}\\x{FE00}-\\x{FE6F}\\x{FEFF}\\x{FF00}-\\x{FF65}\\x{FFE0}-\\x{FFFF}\\x{1F000}-\\x{1FFFF}\\x{E0000}-\\x{10FFFF}' -%}
{%- set word = '[^' ~ marks ~ run ~ ']+' -%}
{%- set wide = 'ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ０１２３４５６７８９' -%}
{%- set narrow = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789' -%}
flatten(list_transform(
    list_transform(regexp_extract_all(
        list_transform(
            [lower(regexp_replace(
                nfc_normalize(left(coalesce({{ expression }}, ''), 100000)),
                '([a-z])([A-Z])', '\1_\2', 'g'
            ))],
            lambda body: case
                when regexp_matches(body, '[０-９Ａ-Ｚａ-ｚ]')
                    then translate(body, '{{ wide }}', '{{ narrow }}')
                else body
            end
        )[1],
        '[0-9]{1,3}(?:,[0-9]{3})+'
        || '|{{ word }}(?:(?:[-.''’‐‑]|_+){{ word }})*(?:[+][+]|[#%])?'
        || '|[{{ han ~ kana }}]+|[{{ hangul }}]+|[{{ thai_lao }}]+|[{{ khmer_burmese }}]+'
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
                regexp_extract_all(piece, '[{{ han ~ hangul }}]')
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
