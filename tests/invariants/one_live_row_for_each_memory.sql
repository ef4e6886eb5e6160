{#- A memory is live at most once at any moment: its spans do not overlap. -#}
select
    earlier.memory_id,
    earlier.version as earlier_version,
    later.version as later_version
from {{ ref('memory_history') }} as earlier
inner join {{ ref('memory_history') }} as later
    on
        earlier.memory_id = later.memory_id
        and earlier.version < later.version
where earlier.valid_to is null or earlier.valid_to > later.valid_from
