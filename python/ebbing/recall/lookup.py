"""Look-ups by id: is there such a memory, and what has become of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing.errors import InputError, ScopeError
from ebbing.rows import fetch, fetch_as

_NAMESPACE = "select namespace from known_memories where memory_id = $memory_id"

_HISTORY = """
    select
        memory_id, version, kind, content, valid_from, valid_to, recorded_from, recorded_to,
        opened_because, closed_because, explanation, closed_by, superseded_by
    from memory_history
    where memory_id in (select memory_id from memory_chain($memory_id::varchar))
    order by valid_from, memory_id
"""


@dataclass(frozen=True, slots=True)
class Version:
    """A span in which a text was live.

    `valid_from` and `valid_to` say when it was true, `recorded_from` and `recorded_to` when that
    was learnt; naive UTC, and null while it lasts.
    """

    memory_id: str
    version: int
    kind: str
    content: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    recorded_to: datetime | None
    opened_because: str
    closed_because: str | None
    explanation: str | None
    closed_by: str | None
    superseded_by: str | None


def namespace_of(connection: duckdb.DuckDBPyConnection, memory_id: str) -> str | None:
    """Return the namespace that has a memory of this id; None where none has."""
    found = fetch(connection, _NAMESPACE, {"memory_id": memory_id})
    return str(found[0][0]) if found else None


def require_memory(connection: duckdb.DuckDBPyConnection, memory_id: str, namespace: str) -> None:
    """Refuse an id that nothing has, or that belongs to another namespace."""
    found = namespace_of(connection, memory_id)
    if found is None:
        raise InputError(
            f"there is no memory {memory_id}; nothing was changed; `ebbing recall` shows the ids"
        )
    if found != namespace:
        raise ScopeError(
            f"{memory_id} is not a memory of namespace {namespace!r}; nothing was changed; "
            "name its own namespace"
        )


def history(
    connection: duckdb.DuckDBPyConnection, memory_id: str, namespace: str
) -> tuple[Version, ...]:
    """Return the versions of a memory, and of all before and after it, by time."""
    require_memory(connection, memory_id, namespace)
    return tuple(fetch_as(connection, Version, _HISTORY, {"memory_id": memory_id}))
