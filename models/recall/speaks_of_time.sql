{#-
    Whether a question may name a time: a figure or a word that asked_days reads.
    Planning that one takes longer than a recall, so this is asked first.
-#}
{{ config(
    materialized='table_function',
    schema='main',
    access='public',
    parameters=['query_text'],
) }}
select
    regexp_matches(
        cast(query_text as varchar),
        '(?i)\b(?:day|days|week|weeks|weekend|month|months|year|years|today|tonight'
        '|tomorrow|yesterday|fortnight|ago|last|next|this'
        '|(?:mon|tues|wednes|thurs|fri|satur|sun)day'
        '|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b'
        '|\d{4}|\d(?:st|nd|rd|th)\b'
        '|[今明昨前后去][天年日晚早]|[周月年日号]|星期|礼拜'
    ) as may_name_a_time
