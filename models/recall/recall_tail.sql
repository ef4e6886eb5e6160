{#-
    The newest state of each memory that the journal has spoken of beyond the
    index. The runner merges in what it appends, by `recall_tail_after`; a run
    leaves what it has not indexed, so after a quiet one it is empty.
-#}
{{ config(materialized='table') }}

{{ tail_states(
    '(select coalesce(max(journal_position), 0) from ' ~ ref('recall_settings') ~ ')',
    [ref('recall_index')]
) }}
