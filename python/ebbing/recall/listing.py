"""What a namespace holds now: its live memories, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing.rows import fetch, fetch_as

_LIVE = "from live_memories(namespaces := [$namespace::varchar], as_of := $at::timestamp)"

_LIST = f"""
    select memory_id, kind, content, created_at, valid_from, expires_at, source
    {_LIVE}
    order by created_at desc, memory_id
    limit $top_k
"""

_COUNT = f"select count(*) {_LIVE}"

_ONE = f"""
    select memory_id, kind, content, created_at, valid_from, expires_at, source
    {_LIVE}
    where memory_id = $memory_id
"""


@dataclass(frozen=True, slots=True)
class LiveMemory:
    """A memory that recall may find now; times are naive UTC."""

    memory_id: str
    kind: str
    content: str
    created_at: datetime
    valid_from: datetime
    expires_at: datetime | None
    source: str


def live_memories(
    connection: duckdb.DuckDBPyConnection, namespace: str, *, at: datetime, top_k: int
) -> tuple[LiveMemory, ...]:
    """Return the live memories of a namespace, the newest first, at most `top_k`."""
    parameters = {"namespace": namespace, "at": at, "top_k": top_k}
    return tuple(fetch_as(connection, LiveMemory, _LIST, parameters))


def live_memory(
    connection: duckdb.DuckDBPyConnection, memory_id: str, namespace: str, *, at: datetime
) -> LiveMemory | None:
    """Return a memory while it is live, else None."""
    parameters = {"namespace": namespace, "at": at, "memory_id": memory_id}
    found = fetch_as(connection, LiveMemory, _ONE, parameters)
    return found[0] if found else None


def count_live(connection: duckdb.DuckDBPyConnection, namespace: str, *, at: datetime) -> int:
    """Return how many memories of a namespace are live."""
    (row,) = fetch(connection, _COUNT, {"namespace": namespace, "at": at})
    return int(row[0])
