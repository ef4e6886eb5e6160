with versions as (
    select * from {{ ref('int_memory_versions') }}
),

memories as (
    select * from {{ ref('int_memories') }}
),

last_versions as (
    select *
    from versions
    qualify row_number() over (
        partition by memory_id
        order by version desc
    ) = 1
),

final as (
    select
        memories.memory_id,
        memories.namespace,
        memories.kind,
        memories.content,
        last_versions.valid_to as forgotten_at,
        last_versions.closed_because as reason,
        last_versions.explanation,
        last_versions.closed_by as forgotten_by,
        last_versions.superseded_by,
        case
            when last_versions.closed_because = 'superseded'
                then
                    'ebbing restore ' || memories.memory_id
                    || ', or stating it again; '
                    || coalesce(last_versions.superseded_by, 'its successor')
                    || ' would then be history'
            else
                'ebbing restore ' || memories.memory_id
                || ', or stating it again'
        end as brought_back_by
    from last_versions
    inner join memories on last_versions.memory_id = memories.memory_id
    where last_versions.valid_to is not null
)

select * from final
