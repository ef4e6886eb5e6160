{#- What the runner merges into the tail once it has appended messages behind `after`. -#}
{{ config(
    materialized='table_function',
    parameters=['after'],
) }}
-- depends_on: {{ ref('episode_exclusions') }}
{{ tail_episodes('after') }}
