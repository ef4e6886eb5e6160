"""What must hold of a request before it counts; asked where it is appended.

A request that found the store busy waits in the spool, and is checked when it is folded in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.journal.events import Event
from ebbing.journal.order import after_what_is_known
from ebbing.learning.corrections import kind_to_correct
from ebbing.learning.tasks import check_end
from ebbing.recall.lookup import require_memory
from ebbing.store.foreign_code import refuse_foreign_code


def checked(
    connection: duckdb.DuckDBPyConnection, path: Path, events: Sequence[Event], namespace: str
) -> list[Event]:
    """Return the events of one request as they are to be appended, or say why they can't be.

    Raises `InputError` for unknown ids and what the present state rules out, `ScopeError` for
    what belongs to another namespace. The text of a correction takes the kind of what it corrects.
    """
    refuse_foreign_code(connection, path)
    kinds: dict[str, str] = {}
    ends = [event for event in events if isinstance(event, journal.TaskEnd)]
    for event in events:
        if not isinstance(event, journal.MemoryChange):
            continue
        if event.change == "supersede" and event.other_memory_id:
            kinds[event.other_memory_id] = kind_to_correct(
                connection, event.memory_id, event.other_memory_id, namespace
            )
        else:
            require_memory(connection, event.memory_id, namespace)
    for end in ends:
        rated = [event for event in events if isinstance(event, journal.Rating)]
        check_end(connection, end, [rating.memory_id for rating in rated], namespace)
    return [_settled(connection, event, kinds, namespace) for event in events]


def _settled(
    connection: duckdb.DuckDBPyConnection, event: Event, kinds: Mapping[str, str], namespace: str
) -> Event:
    if isinstance(event, journal.MemoryWrite) and event.memory_id in kinds:
        return replace(event, kind=kinds[event.memory_id])
    if isinstance(event, journal.MemoryChange):
        return after_what_is_known(connection, event, namespace)
    return event
