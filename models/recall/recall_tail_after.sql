{#- The states that the runner merges in once it has appended events behind `after`. -#}
{{ config(
    materialized='table_function',
    parameters=['after'],
) }}
{#- The tail itself is behind it: what is merged in has a place. -#}
-- depends_on: {{ ref('recall_tail') }}
{{ tail_states('after', [ref('recall_index'), ref('recall_tail')]) }}
