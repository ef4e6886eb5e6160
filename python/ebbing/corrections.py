"""Corrections: a new text takes the place of an old one, which stays in history."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from ebbing.errors import InputError
from ebbing.lookup import require_memory
from ebbing.rows import fetch

# Who superseded whom so far, in the built history and in what the journal has added since.
_ANCESTORS = """
    with recursive links (older_id, newer_id) as (
        select memory_id, superseded_by
        from memory_history
        where superseded_by is not null
        union
        select memory_id, other_memory_id
        from journal.memory_changes
        where change = 'supersede'
    ),
    ancestors (memory_id) as (
        select $memory_id
        union
        select links.older_id
        from links
        inner join ancestors on links.newer_id = ancestors.memory_id
    )
    select memory_id from ancestors
"""

_SUPERSEDED_BY = """
    select other_memory_id as newer_id, occurred_at
    from journal.memory_changes
    where change = 'supersede' and memory_id = $memory_id
    union all
    select superseded_by, valid_to
    from memory_history
    where superseded_by is not null and memory_id = $memory_id
    order by occurred_at desc
    limit 1
"""

_IS_LIVE = """
    select kind
    from internal.recall_candidates
    where memory_id = coalesce(
        (
            select canonical_id
            from internal.int_memory_canonicals
            where memory_id = $memory_id
        ),
        $memory_id
    )
    and valid_to is null
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
    live = fetch(connection, _IS_LIVE, {"memory_id": memory_id})
    if not live:
        newer = fetch(connection, _SUPERSEDED_BY, {"memory_id": memory_id})
        remedy = f"correct {newer[0][0]}" if newer else f"first run `ebbing restore {memory_id}`"
        raise InputError(f"{memory_id} is not live; nothing was changed; {remedy}")
    ancestors = {row[0] for row in fetch(connection, _ANCESTORS, {"memory_id": memory_id})}
    if new_id in ancestors:
        raise InputError(
            f"that text is {new_id}, which {memory_id} itself superseded; nothing was changed; "
            f"state it again with `ebbing remember`, or run `ebbing restore {new_id}`"
        )
    return str(live[0][0])
