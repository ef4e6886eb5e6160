"""Corrections: a new text takes the place of an old one, which stays in history."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from ebbing.errors import InputError
from ebbing.recall.lookup import require_memory
from ebbing.rows import fetch

_SUPERSEDED_BY = """
    select superseded_by
    from memory_successions
    where memory_id = $memory_id
    order by superseded_at desc
    limit 1
"""

# What was said is put right by a memory: the log itself stays as it was.
_IS_OPEN = """
    select case when open_memories.kind = 'episode' then 'fact' else open_memories.kind end
    from open_memories
    inner join known_memories on open_memories.memory_id = known_memories.canonical_id
    where known_memories.memory_id = $memory_id
"""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction: the memory that is live now, and the one that it superseded."""

    memory_id: str
    superseded_id: str
    is_spooled: bool
    note: str | None = None


def kind_to_correct(
    connection: duckdb.DuckDBPyConnection, memory_id: str, new_id: str, namespace: str
) -> str:
    """Return the kind of the memory to correct, or say why it cannot be corrected so."""
    require_memory(connection, memory_id, namespace)
    if new_id == memory_id:
        raise InputError(f"{memory_id} has that text already; nothing was changed")
    live = fetch(connection, _IS_OPEN, {"memory_id": memory_id})
    if not live:
        newer = fetch(connection, _SUPERSEDED_BY, {"memory_id": memory_id})
        remedy = f"correct {newer[0][0]}" if newer else f"first run `ebbing restore {memory_id}`"
        raise InputError(f"{memory_id} is not live; nothing was changed; {remedy}")
    return str(live[0][0])
