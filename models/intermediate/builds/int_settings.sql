{#-
    By what this run goes beside the journal, and whether the last one that was
    finished went by the same.
-#}
{{ config(materialized='table') }}
{%- for seed in [
    'attribute_patterns', 'attribute_words', 'attributes', 'comparison_words',
    'embedding_means', 'embedding_models', 'episode_exclusions', 'episode_promotions',
    'extraction_exclusions', 'extraction_rules', 'extraction_words',
    'garbage_rules', 'memory_kinds', 'memory_methods', 'opening_shares',
    'pair_rules', 'rating_credits', 'stop_words', 'task_measures', 'tuning_candidates',
] %}
-- depends_on: {{ ref(seed) }}
{%- endfor %}

with last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

settings as (
    select {{ settings_fingerprint() }} as settings_fingerprint
),

final as (
    select
        settings.settings_fingerprint,
        last_build.settings_fingerprint <> settings.settings_fingerprint
            as is_anew
    from settings
    cross join last_build
)

select * from final
