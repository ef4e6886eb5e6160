"""Of which namespaces events are, so that a remote can tell who may see them.

An event says it itself, or what it refers to does: the recall of a hit, the task of a rating, the
memory of a change. None where nothing says it: such an event is for those who see all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb

from ebbing import journal
from ebbing.journal.events import Event
from ebbing.rows import fetch

_RECALLS = """
    select distinct recall_id, unnest(namespaces)
    from journal.recalls
    where list_contains($names::varchar[], recall_id)
"""
_TASKS = """
    select distinct task_id, namespace
    from journal.task_starts
    where list_contains($names::varchar[], task_id)
"""
_WRITTEN = """
    select distinct memory_id, namespace
    from journal.memory_writes
    where list_contains($names::varchar[], memory_id)
"""
_TEXTS = """
    select distinct content_hash, namespace
    from journal.memory_writes
    where list_contains($names::varchar[], content_hash)
    union
    select distinct sha256(content), namespace
    from long_term_memory
    where list_contains($names::varchar[], sha256(content))
"""
_REMEMBERED = """
    select distinct memory_id, namespace
    from long_term_memory
    where list_contains($names::varchar[], memory_id)
    union
    select distinct memory_id, namespace
    from memory_history
    where list_contains($names::varchar[], memory_id)
"""


def namespaces_of(
    connection: duckdb.DuckDBPyConnection | None, events: Sequence[Event]
) -> list[list[str] | None]:
    """Return the namespaces of each event, as it says them or, with a connection, the journal."""
    found: dict[str, set[str]] = {}
    for event in events:
        match event:
            case journal.Recall():
                found.setdefault(event.recall_id, set()).update(event.namespaces)
            case journal.TaskStart():
                found.setdefault(event.task_id, set()).add(event.namespace)
            case journal.MemoryWrite():
                found.setdefault(event.memory_id, set()).add(event.namespace)
                found.setdefault(event.content_hash, set()).add(event.namespace)
    if connection is not None:
        wanted = {name for event in events if (name := _reference(event)) is not None} - {*found}
        for query in (_RECALLS, _TASKS, _WRITTEN, _REMEMBERED, _TEXTS):
            for name, namespace in _rows(connection, query, wanted - {*found}):
                found.setdefault(name, set()).add(namespace)
    return [_namespaces(event, found) for event in events]


def _namespaces(event: Event, found: dict[str, set[str]]) -> list[str] | None:
    own = getattr(event, "namespace", None)
    if own is not None:
        return [own]
    if isinstance(event, journal.Recall):
        return sorted({*event.namespaces})
    reference = _reference(event)
    known = None if reference is None else found.get(reference)
    return sorted(known) if known else None


def _reference(event: Event) -> str | None:
    match event:
        case journal.RecallHit():
            return event.recall_id
        case journal.TaskEnd() | journal.Rating():
            return event.task_id
        case journal.MemoryChange():
            return event.memory_id
        case journal.Embedding():
            return event.content_hash
    return None


def _rows(
    connection: duckdb.DuckDBPyConnection, query: str, names: Iterable[str]
) -> list[tuple[str, str]]:
    given = sorted(names)
    if not given:
        return []
    try:
        return [
            (str(name), str(space)) for name, space in fetch(connection, query, {"names": given})
        ]
    except (duckdb.CatalogException, duckdb.BinderException):
        # There are no models yet to ask.
        return []
