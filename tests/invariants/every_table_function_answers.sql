{#-
    A table function is bound when it is called, not when it is made: this
    calls each one. None of the rows may be wrong in the simplest way.
-#}
select 'recall' as table_function
from recall(null, query_text := 'anything at all')
where score is null or lexical_score not between 0.0 and 1.0
union all
select 'recall_explained' as table_function
from recall_explained(null, query_text := 'anything at all')
where score is null
union all
select 'strength_distribution' as table_function
from strength_distribution()
where memory_count < 0
union all
select 'garbage' as table_function
from garbage()
where reason is null
union all
select 'memory_state' as table_function
from memory_state()
where not strength_now between strength_floor and 1.0
union all
select 'decay_model_comparison' as table_function
from {{ ref('decay_model_comparison') }}
where log_loss < 0.0
union all
select 'memory_timeline' as table_function
from {{ ref('memory_timeline') }}
where memory_id is null
-- depends_on: {{ ref('recall') }}, {{ ref('recall_explained') }}
-- depends_on: {{ ref('strength_distribution') }}, {{ ref('garbage') }}
-- depends_on: {{ ref('memory_state') }}
