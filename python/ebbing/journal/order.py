"""Changes come after what they change, whatever the clock says: it may have been set back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import duckdb

from ebbing.journal.events import MemoryChange

_KNOWN = """
    select
        max(recorded_at),
        max(occurred_at) filter (where is_change)
    from (
        select recorded_at, occurred_at, false as is_change
        from journal.memory_writes
        where memory_id = $memory_id
        union all
        select recorded_at, occurred_at, false from journal.messages where namespace = $namespace
        union all
        select recorded_at, occurred_at, true
        from journal.memory_changes
        where memory_id = $memory_id
    )
"""


def after_what_is_known(
    connection: duckdb.DuckDBPyConnection, change: MemoryChange, namespace: str
) -> MemoryChange:
    """Return a change that was learnt after all that the journal has of its memory."""
    row = connection.execute(
        _KNOWN, {"memory_id": change.memory_id, "namespace": namespace}
    ).fetchone()
    recorded, changed = row or (None, None)
    if recorded is None or recorded <= change.recorded_at:
        return change
    occurred = change.occurred_at
    if changed is not None and changed >= occurred:
        occurred = changed + timedelta(microseconds=1)
    return replace(change, recorded_at=recorded, occurred_at=occurred)
