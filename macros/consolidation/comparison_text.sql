{#-
    A text made ready to be cut into tokens; the letters keep their case.
    Full-width punctuation becomes plain, Han characters stand alone, a number
    and the unit written onto it part, n't becomes "not", and a possessive 's
    goes. One Chinese frame is turned round, so that what it says of a person
    follows its verb: "在X工作" (works at X).
-#}
{% macro comparison_text(text_expression) -%}
    {#- Innermost first. Each step is one line of the list. -#}
    {%- set steps = [
        ('在([^，。,.;；在]{1,12}?)(工作|上班)', '工作于\\1'),
        ('(?i)\\b(mon|tues|wednes|thurs|fri|satur|sun)day (morning|afternoon|evening|night)s\\b', 'every \\1day \\2'),
        ('(?i)\\b(?:on|every|each) every\\b', 'every'),
        ('(?i)\\beach (mon|tues|wednes|thurs|fri|satur|sun)day', 'every \\1day'),
        ('(\\p{Han})', ' \\1 '),
        ('(\\d),(\\d{3})', '\\1\\2'),
        ("(?i)\\bcan(?:'?t|not)\\b", 'can not'),
        ("(?i)\\bwon't\\b", 'will not'),
        ("(?i)n't\\b", ' not'),
        ("(?i)'s\\b", ' '),
        ("'", ' '),
        ('([^\\d\\s])\\s*:([^/]|$)', '\\1 : \\2'),
        (':([^\\d/])', ' : \\1'),
        ('(^|[\\s$€£¥=])(\\d+(?:[.]\\d+)?)(\\p{Latin}{1,3}|°[CF])($|[^\\p{L}\\d.])', '\\1\\2 \\3 \\4'),
    ] -%}
    {%- set ns = namespace(
        sql="translate(" ~ text_expression ~ ", '’：，。；！？＝（）', ''':,.;!?=()')"
    ) -%}
    {%- for pattern, replacement in steps -%}
        {%- set ns.sql = "regexp_replace(" ~ ns.sql ~ ", '" ~ pattern | replace("'", "''")
            ~ "', '" ~ replacement ~ "', 'g')" -%}
    {%- endfor -%}
    {{ ns.sql }}
{%- endmacro %}
