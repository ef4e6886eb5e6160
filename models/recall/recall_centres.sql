{#-
    The mean of the vectors of each scope and script: what its texts have in
    common, and no question asks for. A small scope is drawn towards the store's
    mean, and a small store towards the model's generic one (seed
    embedding_means), each counted as var centre_prior texts. The store's own
    rows have the empty namespace. Of a large scope a sample of fixed size.

    Questions have in common with each other what the model's generic questions
    have, and with a large scope what its texts have: question_mean lies between
    the two, the generic one counted as var question_prior texts.

    Sums are of whole numbers, so that their order does not matter.
-#}
{{ config(materialized='table') }}
{%- set active = active_embedding_model_row() %}
{%- set dimension = embedding_dimension() %}

with memories as (
    select
        memory_id,
        namespace,
        {{ script_of('content') }} as script
    from {{ ref('int_memories') }}
),

vectors as (
    select * from {{ ref('int_memory_vectors') }}
),

sampled as (
    select
        memories.namespace,
        memories.script,
        memories.memory_id
    from memories
    qualify
        row_number() over (
            partition by memories.namespace, memories.script
            order by memories.memory_id
        ) <= {{ var('centre_sample') }}
),

numbers as (
    select
        sampled.namespace,
        sampled.script,
        unnest(cast(vectors.vector as float[])) as value,
        generate_subscripts(cast(vectors.vector as float[]), 1) as place
    from vectors
    inner join sampled on vectors.memory_id = sampled.memory_id
),

sums as (
    select
        namespace,
        script,
        place,
        sum(cast(round(value * 1e7) as bigint)) as total,
        count(*) as text_count
    from numbers
    group by namespace, script, place
),

generic as (
    select
        script,
        side,
        unnest(cast(mean as float[])) as value,
        generate_subscripts(cast(mean as float[]), 1) as place
    from {{ ref('embedding_means') }}
    where
        model_id
        = '{{ active.model_id | replace("'", "''") if active else '' }}'  -- noqa: LT05
),

places as (
    select
        unnest(range(1, {{ dimension }} + 1)) as place
),

scripts as (
    select unnest(['han', 'other']) as script
),

stores as (
    select
        scripts.script,
        places.place,
        (
            coalesce(sum(sums.total), 0) / 1e7
            + {{ var('centre_prior') }} * coalesce(any_value(generic.value), 0.0)
        ) / (coalesce(sum(sums.text_count), 0) + {{ var('centre_prior') }}) as mean,
        coalesce(sum(sums.text_count), 0) as text_count
    from scripts
    cross join places
    left join sums
        on scripts.script = sums.script and places.place = sums.place
    left join generic
        on
            scripts.script = generic.script
            and places.place = generic.place
            and generic.side = 'passage'
    group by scripts.script, places.place
),

means as (
    select
        '' as namespace,
        script,
        place,
        mean,
        text_count
    from stores
    union all
    select
        sums.namespace,
        sums.script,
        sums.place,
        (sums.total / 1e7 + {{ var('centre_prior') }} * stores.mean)
        / (sums.text_count + {{ var('centre_prior') }}) as mean,
        sums.text_count
    from sums
    inner join stores
        on sums.script = stores.script and sums.place = stores.place
    where sums.namespace <> ''
),

gathered as (
    select
        means.namespace,
        means.script,
        any_value(means.text_count) as text_count,
        cast(list(means.mean order by means.place) as float[]) as centre,
        cast(
            list(
                (
                    means.text_count * means.mean
                    + {{ var('question_prior') }} * coalesce(generic.value, 0.0)
                ) / (means.text_count + {{ var('question_prior') }})
                order by means.place
            ) as float[]
        ) as question_mean
    from means
    left join generic
        on
            means.script = generic.script
            and means.place = generic.place
            and generic.side = 'query'
    group by means.namespace, means.script
),

final as (
    select
        namespace,
        script,
        text_count,
        centre,
        question_mean,
        -- Of vectors of length 1: what they are apart from their mean.
        sqrt(greatest(0.01, 1.0 - list_inner_product(centre, centre))) as spread
    from gathered
)

select * from final
