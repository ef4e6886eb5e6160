{#-
    A lower-cased English word without its plural, third-person or -ing ending:
    drinks, drinking -> drink; lives, living -> liv. What comes out is a key
    for comparison, not a word. Past tenses keep their ending: when a thing was
    so matters. Words of other scripts, and with digits, come out as they are.
-#}
{% macro light_stem(word) -%}
    {%- set endings = [
        ('([a-z]{2})ies$', '\\1y'),
        ('([a-z]{2}(s|x|z|ch|sh)|[a-z](x|ch|sh))es$', '\\1'),
        ('([^siu])s$', '\\1'),
        ('([aeiou])nning$', '\\1n'),
        ('([aeiou])tting$', '\\1t'),
        ('([aeiou])mming$', '\\1m'),
        ('([aeiou])pping$', '\\1p'),
        ('([aeiou])gging$', '\\1g'),
        ('([a-z]{3})ing$', '\\1'),
        ('([a-z]{3})e$', '\\1'),
    ] -%}
    {%- set ns = namespace(stem=word) -%}
    {%- for ending, rest in endings -%}
        {%- set ns.stem = "regexp_replace(" ~ ns.stem ~ ", '" ~ ending ~ "', '"
            ~ rest ~ "')" -%}
    {%- endfor -%}
    case
        when length({{ word }}) > 3 and regexp_matches({{ word }}, '^[a-z]+$')
            then {{ ns.stem }}
        else {{ word }}
    end
{%- endmacro %}
