{#-
    A pattern for what may follow a captured value and is no part of it:
    time  when it began or ended
    end   and what stands behind a sign, or gives the reason
    any   and what limits it ("after noon", "for notes"), which a denial keeps
-#}
{% macro value_tail(extent) -%}
{%- set months = 'january|february|march|april|may|june|july|august|september|october|november|december' -%}
{%- set seasons = 'spring|summer|autumn|fall|winter' -%}
{%- set days = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday' -%}
{%- set time = [
    '(?:last|this|next) (?:week|weekend|month|year|quarter|night|morning|sprint|' ~ seasons ~ '|' ~ months ~ '|' ~ days ~ ')\\b.*',
    '(?:since|as of|effective)\\b.*',
    'in (?:the |early |late |mid[- ]?)?(?:\\d{4}|' ~ seasons ~ '|' ~ months ~ ')\\b.*',
    '(?:yesterday|today|tomorrow|tonight|ago|earlier)\\b.*',
    '(?:an?|one|two|three|four|five|six|few|several|some|\\d+) (?:days?|weeks?|months?|years?) ago\\b.*',
    'from (?:now|today|tomorrow|next)\\b.*',
    'for (?:now|good|ever)\\b.*',
    'altogether|entirely|completely|at all|instead',
] -%}
{%- set end = [
    '[,;!(（，。；].*',
    '[.](?:\\s.*)?',
    '(?:because|so|due to|thanks to)\\b.*',
    'on (?:\\d|(?:' ~ months ~ ')\\b).*',
] -%}
{%- set limits = [
    '(?:until|till|but|and|when|while|after|before|where|which|who|that|with|without|instead of|rather than|over|during|every|each|except|whenever|unless)\\b.*',
    'to (?:be|escape|work|study|live|do|avoid|get|save|join|start|take)\\b.*',
    'as (?:an?|the|of|my|our|his|her|their|vp|head)\\b.*',
    'for (?:work|an?|the|my|our|his|her|their|\\w+ing|all|most|everything|family|love|health|\\w+ reasons|notes|reports|years)\\b.*',
    'in order\\b.*',
    '(?:named|called)\\b.*|叫.*',
] -%}
{%- set tails = {'time': time, 'end': time + end, 'any': time + end + limits}[extent] -%}
(?i)(?:^|\s+|\b)(?:{{ tails | join('|') }})$
{%- endmacro %}
