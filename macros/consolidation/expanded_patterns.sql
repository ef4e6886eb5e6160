{#-
    Rows of the seed attribute_patterns as dictionaries, with each {list} in a
    pattern replaced by the words of that list as one group, and the shorthands
    {subject} (who or what, if named), {moved_to} and {moved_to_short}.

    patterns: rows of the seed; words: rows (list, word), the longest first
-#}
{% macro expanded_patterns(patterns, words) %}
    {%- set groups = {} -%}
    {%- for row in words -%}
        {%- do groups.setdefault(row.list, []).append(
            row.word | lower | replace('.', '\\.') | replace('+', '\\+')
        ) -%}
    {%- endfor -%}
    {%- set moved = 'moved|changed|switched|set|updated|pushed|postponed|rescheduled|shifted|brought forward|delayed' -%}
    {%- set expanded = [] -%}
    {%- for row in patterns -%}
        {%- set texts = [] -%}
        {%- for text in [row.pattern, row.subject_pattern or '', row.unless or ''] -%}
            {%- set written = namespace(text=text
                | replace('{subject}', '(.*?)' if row.language == 'zh' else '(?:(.+?) )??')
                | replace('{moved_to_short}', '(?:' ~ moved ~ ')')
                | replace('{moved_to}', '(?:' ~ moved ~ '|raised|lowered|increased|reduced|cut|bumped|extended|renamed|went|rose|dropped|upgraded)(?: back| forward| up| down)?(?: from .+?)? to')
            ) -%}
            {%- for name, group in groups.items() if '{' ~ name ~ '}' in text -%}
                {%- set written.text = written.text
                    | replace('{' ~ name ~ '}', '(?:' ~ group | join('|') ~ ')') -%}
            {%- endfor -%}
            {%- do texts.append(written.text) -%}
        {%- endfor -%}
        {%- do expanded.append({
            'pattern_id': row.pattern_id,
            'language': row.language,
            'attribute': row.attribute,
            'stance': row.stance,
            'pattern': texts[0],
            'subject': row.subject or '',
            'value': row.value or '',
            'former': row.former or '',
            'value_pattern': row.value_pattern or '',
            'subject_pattern': texts[1],
            'unless': texts[2],
        }) -%}
    {%- endfor -%}
    {{- return(expanded) -}}
{% endmacro %}
