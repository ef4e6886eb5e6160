{#-
    The vectors by the number of their event, those that are set aside too: for
    who has the numbers from `stg_journal__embeddings`, which leaves those out.
    What that takes makes DuckDB think that few are left, and hash the vectors
    instead of the numbers, which cost a recall more than all the rest.
-#}
with source as (
    select * from {{ source('journal', 'embeddings') }}
),

renamed as (
    select
        -- numerics
        event_sequence,

        -- vectors
        vector
    from source
)

select * from renamed
