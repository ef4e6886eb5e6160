{#-
    A text as the clauses that may claim something, one row a clause:
    content_hash, part_number, clause_number, clause, is_change, is_negated,
    names_user, is_dated.

    A part says something of its own ("... and works at Stripe"); a clause after
    a comma comments on it. What does not matter goes: who is meant if nobody is
    named, words of time and manner, auxiliaries; a negation is noted and goes.
    texts_relation: content_hash, content (one row a hash).
-#}
{% macro claim_clauses(texts_relation) -%}
{%- set part = 'chr(31)' -%}
{%- set comment = 'chr(30)' -%}
{%- set verb = "(?:i|we|my|our|they|he|she|am|is|are|has|have|had|lives?|works?|uses?|drinks?|eats?|prefers?|likes?|loves?|hates?|quit|joined|left|moved|relocated|switched|drives?|owns?|plays?|speaks?|studies|learns?|follows?|wants?|needs?|reports?|leads?|pays?|continues?|enjoys?|does not|do not|no longer|now)" -%}
{%- set ceased = '(?:used to|stopped|ceased to|ceased|refuses? to|gave up|given up|quit) (\\w+ing|live|work|use|drink|eat|play|have|be|drive|study|learn|speak|take|smoke)\\b' -%}
{#- Applied in this order; each is a pattern and what replaces it. -#}
{%- set unified = [
    ("[’‘`]", "'"),
    ('\\b(Dr|Mr|Mrs|Ms|Prof|St)[.] ', '\\1 '),
    ('\\s*[（(](?:said on )?\\d{4}-\\d\\d-\\d\\d[)）]', ''),
    ('[“”"「」『』]', ''),
    ("(?i)\\b(can)(?:'t|not)\\b", '\\1 not'),
    ("(?i)\\bwon't\\b", 'will not'),
    ("(?i)n't\\b", ' not'),
    ("(?i)\\b(i)'m\\b", '\\1 am'),
    ("(?i)\\b(we|you|they)'re\\b", '\\1 are'),
    ("(?i)\\b(i|we|you|they)'ve\\b", '\\1 have'),
    ("(?i)\\b(i|we|you|they|he|she)'d\\b", '\\1 would'),
    ("(?i)\\b(i|we|you|they|he|she)'ll\\b", '\\1 will'),
    ("(?i)\\b(it|he|she|that)'s\\b", '\\1 is'),
] -%}
{%- set marked = [
    ('(?i), (?:and )?not (?:(?:in|at|on) )?', ' rather than '),
    ('[，,](?:而)?不是', '而非'),
    ('([\\p{L}\\d]),? (?i:and|but|so|then|while) (?i:(' ~ verb ~ '))\\b', '\\1\\x{1f}\\2'),
    ('[?](?:\\s+|$)|？', '?\\x{1f}'),
    ('[.;!](?:\\s+|$)|[。；！\\n]', '\\x{1f}'),
    (',\\s+| [—–-] |，', '\\x{1e}'),
] -%}
{#- Openings, and who is meant if nobody is named. -#}
{%- set without_speaker = [
    ('(?i)^\\s*(?:(?:no|yes|oh|ok|okay|hey|hi|well|so|and|but|also|sorry|actually|btw|fyi|by the way|in fact|update|correction|note|remember|please|just|then|对了|其实|哦|嗯|好的|更正|纠正|注意|记住|请记住|记一下)\\b[,:， ]*)+', ''),
    ('(?i)^(?:remember|note|noted|said|mentioned|says|know) that ', ''),
    ("(?i)^(?:(?:(?:the )?(?:user|team|project|codebase|repo)(?:'s)?|users|i|we|my|our|ours|the|this|everyone|please|you can|you may)(?::\\s*|\\s+))+", ''),
    ("(?i)^(?:routine|team|project): ", ''),
    ('^(?:用户|我们|咱们|我|本人|咱|团队|项目组|项目|大家|自己|请|每天|的|：|:|\\s)+', ''),
] -%}
{#- Words of time and manner. -#}
{%- set without_manner = [
    ('(?i)\\b(?:now|currently|presently|nowadays|these days|at the moment|right now|at present|as of (?:now|today)|from now on|starting (?:today|now|tomorrow)|recently|just|finally|already|actually|still|really|officially|permanently|lately|today|yesterday|again|always|please|any ?more|any longer|primarily|mainly|mostly|usually|typically|directly|simply|strictly)\\b', ' '),
    ('(?i)^\\s*(?:throughout|during|since|starting|in|as of|on|after|last|this) (?:\\d{4}|(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: \\d{1,4})?)\\s*,?\\s+', ''),
    ('\\b(?:[Nn]ew|[Cc]urrent|[Ll]atest|[Pp]resent) ([a-z]|[A-Z]{2})', '\\1'),
    ('\\s+', ' '),
] -%}
{#- Negation, auxiliaries. -#}
{%- set in_one_form = [
    ('(?i)\\b' ~ ceased, '\\1'),
    ('(?i)\\b(?:has|have) (?:been )?(?:lived|living)\\b', 'lives'),
    ('(?i)\\b(?:has|have) (?:been )?(?:worked|working)\\b', 'works'),
    ('(?i)\\b(?:(?:does|do|did|will|would|can|could) )?(?:not|never|no longer)\\b', ' '),
    ('(?i)\\b(has|have|had) no\\b', '\\1'),
    ('\\s+', ' '),
    ('(?i)\\b(?:has|have|had) (been |left|quit|gone|become|begun|taken|given|sold|bought|got|lived|worked|joined|moved|relocated|switched|started|changed|migrated|replaced)', '\\1'),
    ('(?i)\\b(?:is|am|are|was|were|be|been|being|got|gets|has been|have been) (\\w+(?:ed|ing)|set|cut|built|written|put|held|led|run|sent|kept|made|brought|given|taken)\\b', '\\1'),
] -%}
{%- set in_one_chinese_form = [
    ('(?:现在|目前|如今|已经|最近|刚刚|刚|今年|以后|今后|往后|从现在起|从今天起|从现在开始|上个?(?:月|周|星期|礼拜)|去年|前年|昨天|今天|前天|前几天|上周末|周末|暂时|一直|依然|仍然|依旧|后来|终于|正式|早就|[\\d一二两三四五六七八九十]+(?:天|周|个月|年)前)', ''),
    ('(?:都|也|还|就|又)(是|在|住|用|喝|吃|有|叫|要|会)', '\\1'),
    ('(^|的)新的?', '\\1'),
    ('(?:不再|不|没再|别再|没)(住|用|使用|喝|吃|在|是|做|学|抽|玩|养|开|爱|喜欢|去|打|跑|骑|参加|订|叫|有|对)', '\\1'),
    ('(?:戒掉|戒了|戒|停用|停止|放弃|弃用)了?(\\p{L})', '用\\1'),
    ('(?:了|啦|吧|呢|的)+$', ''),
    (value_tail('time'), ''),
    ('\\s+', ' '),
] -%}
with settled as (

    select
        content_hash,
        {{ settled_measures('content') }} as content,
    from {{ texts_relation }}
    where length(content) <= {{ var('longest_claim', 400) }}

),

unified as (

    select
        content_hash,
        {{ replaced_in_turn('content', unified) }} as unified,
    from settled

),

divided as (

    select
        content_hash,
        string_split({{ replaced_in_turn('unified', marked) }}, {{ part }}) as parts,
    from unified

),

parted as (

    select
        content_hash,
        unnest(parts) as part_text,
        generate_subscripts(parts, 1) as part_number,
    from divided

),

commented as (

    select
        content_hash,
        part_number,
        string_split(part_text, {{ comment }}) as clauses,
    from parted
    where trim(part_text) <> ''

),

clauses as (

    select
        content_hash,
        part_number,
        unnest(clauses) as clause,
        generate_subscripts(clauses, 1) as clause_number,
    from commented

),

claimed as (

    select
        content_hash,
        part_number,
        clause_number,
        {{ replaced_in_turn('clause', without_speaker) }} as spoken,
        regexp_matches(
            clause,
            '(?i)\b(?:now|currently|these days|nowadays|from now on|no longer|any ?more|instead|new|current|became|become|switched|changed|replaced|moved|migrated|reassigned|transferred|upgraded|updated|bumped|downgraded|rescheduled|postponed|pushed|raised|lowered|promoted|relocated|took over|traded)\b|现在|改|换|以后|今后|如今|目前|不再|新|变成|升|转|搬|迁|跳槽|推迟|提前|延期|挪|调整|用的是|了$'
        )
        and not regexp_matches(
            clause, '(?i)\b(?:also|too|as well|additionally|another|second|besides)\b|也|还|另外|第二'
        ) as is_change,
        regexp_matches(
            clause,
            '(?i)\b(?:not|never|no longer) \w|\b{{ ceased }}|\b(?:has|have) no\b|不再|不(?:住|用|使用|喝|吃|在|是|做|学|抽|玩|养|开|爱|喜欢|去|打|跑|骑|参加|订|叫|有|对)|没再|没有|没(?:养|用|在|去|打)|戒|停止|停用|放弃|弃用'
        ) as is_negated,
        regexp_matches(
            clause,
            '(?i)^\s*(?:(?:no|yes|and|but|so|also|then|actually|sorry|please|now)[, ]+)*(?:(?:the )?users?\b|i\b|we\b|my\b|our\b)|^(?:用户|我|咱|本人)'
        ) as names_user,
        -- An event of a year stays so, whatever came after it.
        regexp_matches(clause, '\b(?:19|20)\d\d\b')
        and not regexp_matches(clause, '(?i)\b(?:since|starting|as of)\b|以来|起|开始') as is_dated,
    from clauses

),

timeless as (

    select
        * exclude (spoken),
        {{ replaced_in_turn('spoken', without_manner) }} as timeless,
    from claimed

),

formed as (

    select
        * exclude (timeless),
        {{ replaced_in_turn('timeless', in_one_form) }} as one_form,
    from timeless

),

final as (

    select
        * exclude (one_form),
        trim({{ replaced_in_turn('one_form', in_one_chinese_form) }}) as clause,
    from formed

)

select *
from final
where
    length(clause) between 2 and 160
    and not regexp_matches(
        clause,
        '(?i)^(?:if|when|whether|unless|maybe|perhaps|suppose)\b|^(?:如果|要是|假如|也许|可能)|[?？]$|吗$|的话$|什么|哪里|哪儿|谁|多少|怎么|几点钟?$'
    )
{%- endmacro %}
