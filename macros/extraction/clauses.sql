{#-
    Splits a sentence where it starts a second statement, as a list:
    "my name is Lin and I live in Leeds", "我叫小林，我住在杭州", "Jana left, Petr
    is doing the frontend", and, with what the second one leaves out filled in,
    "my wife is allergic to shellfish and my son to nuts". "My sister and I"
    stays whole, and so do "you are wrong, I ..." and "when ..., I ...".

    words: what extraction_words gives
-#}
{% macro clauses(sentence, words) %}
    {{- return(adapter.dispatch('clauses', 'ebbing')(sentence, words)) -}}
{% endmacro %}

{% macro default__clauses(sentence, words) %}
{%- set openers = words.get('en', {}).get('opener', 'when') -%}
{%- set styles = words.get('en', {}).get('style_verb', 'use') -%}
{%- set family = words.get('zh', {}).get('family', '老婆') -%}
{#- \x{f8fb} keeps a space, \x{f8fa} and \x{f8fc} a comma from being split at. -#}
{%- set steps = [
    ('(?i)^((?:my|our) \\w+(?: \\w+)?) and (i|my|our)\\b', '\\1\\x{f8fb}and \\2'),
    ('(?i)^((?:' ~ openers ~ ')\\b[^,]*),', '\\1\\x{f8fa}'),
    ("(?i)\\b((?:that is|that's|you're|you are) )?(wrong|incorrect|mistaken|no|nope|sorry|actually"
        ~ '|right|yes|ok|okay|oops|wait|correction), ', '\\1\\2\\x{f8fa} '),
    ('(错了|不对|更正|纠正|更正一下|纠正一下)[，,] ?我', '\\1\\x{f8fc}我'),
] -%}
{%- do steps.append((
    "(?i)\\b((?:my|our) [\\w' ]+? (is|are|was) (?:an?|the) [^,]+?),? (?:and|but|while) ((?:my|our) [\\w' ]+?) (an?|the) ",
    '\\1\\x{1f}\\3 \\2 \\4 '
)) -%}
{%- for preposition in ('to', 'in', 'at', 'on', 'from', 'for', 'with', 'of') -%}
    {%- do steps.append((
        "(?i)\\b((?:my|our) [\\w' ]+? ((?:is|are|works?|lives?|goes|plays?|comes?)(?: [\\w-]+){0,2} "
        ~ preposition ~ ") [^,]+?),? (?:and|but|while) ((?:my|our) [\\w' ]+?) "
        ~ preposition ~ ' ',
        '\\1\\x{1f}\\3 \\2 '
    )) -%}
{%- endfor -%}
{%- set steps = steps + [
    ("(?i)(?:,\\s*|\\s+)(?:and|but)\\s+((?:i|we|i'm|we're|my|our)\\b)", '\\x{1f}\\1'),
    ('(?i),\\s+(?:and|but)\\s+((?:the|there)\\b)', '\\x{1f}\\1'),
    ("(?i),\\s+((?:i|we)(?:'m|'ve|'d|'re)?\\s)", '\\x{1f}\\1'),
    ("(?i),\\s+((?:my|our) [\\w' ]+? (?:is|are|has|have|lives?|works?)\\b)", '\\x{1f}\\1'),
    (',\\s+(?:and |but )?([A-Z][a-z]+ (?:is|does|owns|has|left|took|takes|will|handles)\\b)',
        '\\x{1f}\\1'),
    ("(?i),\\s+(?:and |but )?((?:never|always|please don't|don't|do not) (?:" ~ styles ~ ') )', '\\x{1f}\\1'),
    ('(?i),\\s+(?:and |but )?(for (?:the |all |any |every )[\\w ]{2,30} (?:use|write|prefer) )', '\\x{1f}\\1'),
    (',\\s+(?:and |but )?((?:the |our )?[\\w-]+ (?:is|are|runs? with|runs? on|uses?|lives in) [A-Z])',
        '\\x{1f}\\1'),
    ('(?i),\\s+(?:and |but )?((?:tests?|builds?|ci|docs|deploys?|linting|hosting|auth) (?:runs?|is|are|lives?) (?:with|on|in|at|done|handled)\\b)',
        '\\x{1f}\\1'),
    ('([A-Za-z0-9] ?)[，,]\\s*([^，,我你他不也还都偶有常现]{2,8}?(?:用的?是|是|用) ?[A-Za-z])', '\\1\\x{1f}\\2'),
    ('[，,]\\s*((?:以后|今后|往后|从现在起)(?:都|别|不|所有|就|请|一律|要|只|统一|凡是))', '\\x{1f}\\1'),
    ('[，,]\\s*(?:而且|并且|但是?|还有|另外|不过|因为|然后)?(我)', '\\x{1f}\\1'),
    ('(我[^，,]*)[，,]\\s*(?:而且|不过|但是?)?((?:' ~ family
        ~ ')(?:对|是|在|不|有|叫|喜欢|也|怕|今年))', '\\1\\x{1f}我\\2'),
] -%}
list_filter(
    list_transform(
        string_split({{ replaced_in_turn(sentence, steps) }}, chr(31)),
        lambda clause: trim(replace(replace(replace(
            clause, chr(63739), ' '), chr(63738), ','), chr(63740), '，'
        ))
    ),
    lambda clause: clause != ''
)
{%- endmacro %}
