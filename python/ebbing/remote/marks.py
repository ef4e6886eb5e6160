"""How far a store has read its remotes, and how far its journal is there."""

from __future__ import annotations

import duckdb

from ebbing.remote.protocol import SHARED, Mark
from ebbing.rows import fetch
from ebbing.store.store import Store

_MARK = """
    select identity, position, sent_through
    from journal.remote_cursors
    where remote = $remote
    order by event_sequence desc
    limit 1
"""

_SHARED_THROUGH = "select coalesce(max(event_sequence), 0) from ({})".format(
    " union all ".join(f"select event_sequence from journal.{one.table}" for one in SHARED)
)


_known: dict[tuple[str, str], tuple[tuple[int, ...], Mark | None]] = {}


def read_mark(store: Store, url: str) -> Mark | None:
    """Return how far the store has read a remote, or None before the first time."""
    with store.read() as connection:
        return mark_in(connection, url)


def known_mark(store: Store, url: str) -> Mark | None:
    """Return the mark that this process read last, while the store's file is the same.

    Another process may have read on since: then some events come twice, and are dropped.
    """
    state = store.path.stat()
    file = (state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size)
    known = _known.get((str(store.path), url))
    if known is None or known[0] != file:
        known = _known[str(store.path), url] = (file, read_mark(store, url))
    return known[1]


def mark_in(connection: duckdb.DuckDBPyConnection, url: str) -> Mark | None:
    """Return how far the store of a connection has read a remote."""
    rows = fetch(connection, _MARK, {"remote": url})
    return Mark(*rows[0]) if rows else None


def shared_through(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the place of the journal's last event that machines share."""
    return int(fetch(connection, _SHARED_THROUGH)[0][0])
