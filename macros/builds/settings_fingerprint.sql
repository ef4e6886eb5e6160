{#-
    A digest of all that tables depend on beside the journal: the code of
    models and macros, the vars, the rows of the seeds, the embedding model.
    The instant of the reports is left out, since no table depends on it.
-#}
{% macro settings_fingerprint() -%}
    {%- if not execute -%}{{- return("''") -}}{%- endif -%}
    {%- set code = [] -%}
    {%- for name, generator in ebbing.items() | sort(attribute='0') -%}
        {%- do code.append(generator.macro.macro_sql) -%}
    {%- endfor -%}
    {%- set seeds = [] -%}
    {%- for node in graph.nodes.values() | sort(attribute='unique_id') -%}
        {%- if node.resource_type == 'seed' -%}
            {%- do seeds.append(node.relation_name) -%}
        {%- elif node.resource_type == 'model' and node.config.materialized != 'view' -%}
            {%- do code.append(node.raw_code) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set code = code | join('\n') -%}
    {%- set settings = [] -%}
    {%- for name in modules.re.findall('var\\([^a-z](\\w+)', code) | unique | sort
        if name != 'as_of' -%}
        {%- do settings.append(name ~ '=' ~ var(name)) -%}
    {%- endfor -%}
    {%- set active = active_embedding_model_row() -%}
    {%- do settings.append(active.model_id if active else '') -%}
    md5(concat_ws(
        '|',
        '{{ local_md5(code) }}',
        '{{ local_md5(settings | join("\n")) }}'
        {%- for seed in seeds %},
        (select bit_xor(hash(seed)) from {{ seed }} as seed)
        {%- endfor %}
    ))
{%- endmacro %}
