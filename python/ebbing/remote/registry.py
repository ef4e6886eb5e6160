"""The remotes of a store, added, listed and taken away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing.errors import InputError
from ebbing.remote.address import checked_address
from ebbing.remote.asking import forget_remote
from ebbing.remote.marks import shared_through
from ebbing.remote.settings import Link, links, new_replica, write_links
from ebbing.remote.sync import Synced, require_model, sync_link
from ebbing.rows import fetch
from ebbing.store.store import Store

_LAST = """
    select recorded_at, sent_through
    from journal.remote_cursors
    where remote = $remote
    order by event_sequence desc
    limit 1
"""


@dataclass(frozen=True, slots=True)
class RemoteState:
    """A remote as the store knows it: nothing is asked of it.

    `exchanged_at` is when something last came or went, naive UTC. `is_behind`: the journal has
    what was not noted as sent yet.
    """

    url: str
    exchanged_at: datetime | None
    is_behind: bool


def add(store: Store, url: str) -> Synced:
    """Give a store a remote, which is made one if it is none, and exchange what both have."""
    store.require()
    address = checked_address(url)
    known = links(store.folder)
    # One that is known is made anew where it was lost.
    link = next(
        (one for one in known if one.url == address),
        Link(address, replica=known[0].replica if known else new_replica()),
    )
    require_model(store, link, is_new=True)
    if link not in known:
        write_links(store.folder, [*known, link])
    return sync_link(store, link)


def remove(store: Store, url: str) -> RemoteState:
    """Take a remote away from a store; what came from it stays, and so does what is there."""
    known = links(store.folder)
    gone = [link for link in known if link.url == url]
    if not gone:
        named = ", ".join(link.url for link in known) or "none"
        raise InputError(f"{url} is no remote of this store; nothing was changed; it has {named}")
    with store.read() as connection:
        state = _state(connection, gone[0])
    forget_remote(gone[0])
    write_links(store.folder, [link for link in known if link.url != url])
    return state


def states(connection: duckdb.DuckDBPyConnection, store: Store) -> tuple[RemoteState, ...]:
    """Return the remotes of a store that is open."""
    return tuple(_state(connection, link) for link in links(store.folder))


def _state(connection: duckdb.DuckDBPyConnection, link: Link) -> RemoteState:
    rows = fetch(connection, _LAST, {"remote": link.url})
    at, sent_through = rows[0] if rows else (None, 0)
    is_behind = shared_through(connection) > sent_through
    return RemoteState(link.url, at, is_behind)
