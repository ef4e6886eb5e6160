{#-
    Statements of what somebody had corrected, by less than a word of theirs: a
    log imported late, a pasted note, another tool's copy. They are history at
    once, and what was corrected stays; memory_conflicts shows them. By name
    (remember, restore) or as a change ("back to Leeds now") it comes back.
-#}
with assertions as (
    select * from {{ ref('int_memory_assertions') }}
),

attributes as (
    select * from {{ ref('int_memory_attributes') }}
),

canonicals as (
    select * from {{ ref('int_memory_canonicals') }}
),

changes as (
    select * from {{ ref('int_memory_changes') }}
),

methods as (
    select * from {{ ref('memory_methods') }}
),

corrected as (
    select
        earlier.canonical_id as memory_id,
        later.canonical_id as kept_id,
        changes.event_id,
        changes.occurred_at,
        changes.recorded_at,
        changes.reason
    from changes
    inner join canonicals as earlier on changes.memory_id = earlier.memory_id
    inner join canonicals as later
        on changes.other_memory_id = later.memory_id
    where
        changes.change = 'supersede'
        and earlier.canonical_id <> later.canonical_id
),

-- A correction is about all texts that claim the value that was put right.
same_claims as (
    select distinct
        corrected.kept_id,
        corrected.event_id,
        corrected.occurred_at,
        corrected.recorded_at,
        corrected.reason,
        other.memory_id
    from corrected
    inner join attributes as own on corrected.memory_id = own.memory_id
    inner join attributes as other
        on
            own.namespace = other.namespace
            and own.attribute = other.attribute
            and own.subject_key = other.subject_key
            and own.value_key = other.value_key
            and own.stance = other.stance
            and own.is_single_valued
    where
        other.memory_id <> corrected.kept_id
        and other.kind <> 'episode'
),

corrections as (
    select
        memory_id,
        kept_id,
        event_id,
        occurred_at,
        recorded_at,
        reason
    from corrected
    union
    select
        canonicals.canonical_id as memory_id,
        same_claims.kept_id,
        same_claims.event_id,
        same_claims.occurred_at,
        same_claims.recorded_at,
        same_claims.reason
    from same_claims
    inner join canonicals on same_claims.memory_id = canonicals.memory_id
),

statements as (
    select
        canonicals.canonical_id as memory_id,
        assertions.assertion_id as event_id,
        assertions.occurred_at,
        assertions.recorded_at,
        coalesce(methods.outranks_correction, false)
        or assertions.memory_id in (
            select attributes.memory_id
            from attributes
            where attributes.is_change
        ) as is_weighty
    from assertions
    inner join canonicals on assertions.memory_id = canonicals.memory_id
    left join methods on assertions.method = methods.method
    where
        canonicals.canonical_id in (
            select corrections.memory_id
            from corrections
        )
),

lifted as (
    select
        memory_id,
        recorded_at
    from statements
    where is_weighty
    union all
    select
        canonicals.canonical_id as memory_id,
        changes.recorded_at
    from changes
    inner join canonicals on changes.memory_id = canonicals.memory_id
    where changes.change = 'restore'
),

final as (
    select
        statements.event_id,
        statements.memory_id,
        corrections.kept_id,
        statements.occurred_at,
        statements.recorded_at,
        corrections.recorded_at as corrected_at,
        corrections.reason
    from statements
    inner join corrections
        on
            statements.memory_id = corrections.memory_id
            and statements.recorded_at > corrections.recorded_at
            and statements.occurred_at > corrections.occurred_at
    where
        not statements.is_weighty
        and not exists (
            select 1
            from lifted
            where
                statements.memory_id = lifted.memory_id
                and corrections.recorded_at < lifted.recorded_at
                and statements.recorded_at >= lifted.recorded_at
        )
    qualify
        row_number() over (
            partition by statements.event_id, statements.memory_id
            order by corrections.recorded_at desc, corrections.event_id desc
        ) = 1
)

select * from final
