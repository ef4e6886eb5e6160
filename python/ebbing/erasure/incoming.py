"""What was erased at another replica, and is still here: tombstones came before it could go."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from ebbing.rows import fetch

_WRITTEN = "select memory_id, namespace, event_id, false as is_passage from journal.memory_writes"
_READ = """
    select texts.memory_id, texts.namespace, messages.event_id, false
    from internal.int_statements_extracted as texts
    inner join journal.messages using (message_id)
    union all
    select texts.memory_id, texts.namespace, messages.event_id, true
    from internal.int_episodes as texts
    inner join journal.messages using (message_id)
"""

_STILL_HERE = """
    select
        erased.erasure_id, erased.namespace, known.memory_id, max(erased.event_id),
        bool_and(known.is_passage)
    from journal.erasures as erased
    inner join ({}) as known
        on erased.namespace = known.namespace
        and erased.memory_id_hash = sha256(known.memory_id)
    where known.event_id < erased.event_id
    group by erased.erasure_id, erased.namespace, known.memory_id
    order by all
"""


_UNREAD = """
    select 1
    from journal.messages as messages
    inner join journal.erasures as erased using (namespace)
    where messages.event_id < erased.event_id
    limit 1
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Memories that one erasure took elsewhere, and what of them was written before it."""

    namespace: str
    memory_ids: tuple[str, ...]
    before: str


def is_said_perhaps(connection: duckdb.DuckDBPyConnection) -> bool:
    """Tell whether there are messages that may say it: what they say, a build has to read."""
    return bool(fetch(connection, _UNREAD))


def has_tombstones(connection: duckdb.DuckDBPyConnection) -> bool:
    """Tell whether anything was ever erased, here or where an import came from."""
    return bool(fetch(connection, "select 1 from journal.erasures limit 1"))


def still_here(connection: duckdb.DuckDBPyConnection) -> tuple[Found, ...]:
    """Return what tombstones speak of and the store still holds, as of its last build.

    Passages of messages come only once nothing else is left: a message without what is erased is
    another passage, and says all else that it said.
    """
    if not has_tombstones(connection):
        return ()
    try:
        rows = fetch(connection, _STILL_HERE.format(f"{_WRITTEN} union all {_READ}"))
    except (duckdb.CatalogException, duckdb.BinderException):
        # Nothing was read from messages yet.
        rows = fetch(connection, _STILL_HERE.format(_WRITTEN))
    groups: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    is_passage = all(row[-1] for row in rows)
    for erasure_id, namespace, memory_id, event_id, is_one in rows:
        if is_one == is_passage:
            groups[erasure_id, namespace].append((memory_id, event_id))
    return tuple(
        Found(namespace, tuple(name for name, _ in found), max(event_id for _, event_id in found))
        for (_, namespace), found in groups.items()
    )
