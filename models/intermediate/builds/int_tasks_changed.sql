{#-
    The tasks of which the credits are worked out anew: those with another
    outcome or baseline, with a new recall or rating, or with a recall of a
    memory that counts as another one since.
-#}
{{ config(materialized='table') }}

with last_build as (
    select * from {{ ref('stg_builds__last_build') }}
),

tasks as (
    select * from {{ ref('int_tasks_scored') }}
),

recalls as (
    select * from {{ ref('stg_journal__recalls') }}
    where task_id is not null
),

hits as (
    select * from {{ ref('stg_journal__recall_hits') }}
),

ratings as (
    select * from {{ ref('stg_journal__ratings') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

counts_otherwise as (
    select canonicals.memory_id
    from canonicals
    cross join last_build
    where canonicals.changed_in_build > last_build.build_number
),

changed as (
    select tasks.task_id
    from tasks
    cross join last_build
    where tasks.changed_in_build > last_build.build_number
    union
    select recalls.task_id
    from recalls
    inner join hits on recalls.recall_id = hits.recall_id
    cross join last_build
    where
        hits.event_sequence > last_build.journal_position
        or hits.memory_id in (select c.memory_id from counts_otherwise as c)
    union
    select ratings.task_id
    from ratings
    cross join last_build
    where
        ratings.event_sequence > last_build.journal_position
        or ratings.memory_id in (select c.memory_id from counts_otherwise as c)
),

final as (
    select
        changed.task_id,
        last_build.build_number + 1 as changed_in_build
    from changed
    cross join last_build
)

select * from final
