"""Erasure across replicas: tombstones go out with the texts that lost a passage, and come in.

A remote takes an erasure only from one who knows all others: what it is given in place of a text
is without every passage that was ever erased. A file beside the store says that remotes still hold
texts as they were, so that a process that is killed leaves the work to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb

from ebbing import journal
from ebbing.clock import utc_now
from ebbing.erasure.incoming import is_said_perhaps
from ebbing.erasure.proof import Searched
from ebbing.erasure.run import erase_as_elsewhere
from ebbing.errors import RemoteError
from ebbing.journal.events import Event
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.maintenance.maintain import bring_up_to_date
from ebbing.remote.asking import asked
from ebbing.remote.bodies import digest
from ebbing.remote.marks import shared_through
from ebbing.remote.protocol import Mark, Rewriting
from ebbing.remote.settings import Link, links
from ebbing.rows import fetch
from ebbing.store.aside import maintenance
from ebbing.store.location import REWRITTEN_NAME
from ebbing.store.store import Store

# What has texts that mention a memory.
_TEXTS: tuple[type[Event], ...] = (
    journal.Message,
    journal.MemoryWrite,
    journal.MemoryChange,
    journal.Recall,
    journal.TaskStart,
)
_BATCH = 1_000

_MARKS = """
    select event_id, recorded_at, erasure_id, namespace, content_hash, memory_id_hash
    from journal.erasures
    where event_sequence > $after
    order by event_sequence
"""


def at_remotes(
    store: Store, needles: Sequence[str]
) -> tuple[tuple[Searched, ...], tuple[str, ...]]:
    """Carry out at every remote what was erased here, and search there; name those away."""
    from ebbing.remote.sync import sync_link

    searched: list[Searched] = []
    waiting: list[str] = []
    for link in links(store.folder):
        try:
            sync_link(store, link)
            found = asked(link, lambda remote: remote.search(needles))
        except RemoteError:
            waiting.append(link.url)
        else:
            searched += [Searched(f"{link.url} {place}", count) for place, count in found]
    if not waiting:
        (store.folder / REWRITTEN_NAME).unlink(missing_ok=True)
    return tuple(searched), tuple(waiting)


def erase_what_others_did(store: Store, *, progress: Progress | None = None) -> int:
    """Erase here what tombstones speak of; return how many memories are gone."""
    with store.read() as connection:
        is_to_be_read = is_said_perhaps(connection)
    if is_to_be_read:
        with maintenance(store):
            bring_up_to_date(store, Dbt(store.folder, progress=progress))
    return erase_as_elsewhere(store, at=utc_now(), progress=progress)


def is_anything_erased(store: Store, mark: Mark) -> bool:
    """Tell whether a remote may hold what was erased here."""
    with store.read() as connection:
        return bool(_marks(connection, mark)) or (store.folder / REWRITTEN_NAME).exists()


def send_erasures(store: Store, link: Link, mark: Mark) -> bool:
    """Send tombstones and texts without what was erased; False if others sent theirs meanwhile."""
    with store.read() as connection:
        marks = _marks(connection, mark)
    named = [one.event_id for one in marks]
    missing = asked(link, lambda remote: remote.missing(named)) if named else set()
    there = asked(link, lambda remote: remote.digests([one.table for one in _TEXTS]))
    with store.read() as connection:
        changed = [
            event
            for event in _texts(connection)
            if event.event_id in there and there[event.event_id] != digest(event)
        ]
    rewriting = Rewriting([one for one in marks if one.event_id in missing], changed)
    return asked(link, lambda remote: remote.erase(rewriting, mark))


def _marks(connection: duckdb.DuckDBPyConnection, mark: Mark) -> list[journal.Erasure]:
    rows = fetch(connection, _MARKS, {"after": mark.sent_through})
    names = ("event_id", "recorded_at", "erasure_id", "namespace", "content_hash", "memory_id_hash")
    return [journal.Erasure(**dict(zip(names, row, strict=True))) for row in rows]


def _texts(connection: duckdb.DuckDBPyConnection) -> Iterator[Event]:
    last = shared_through(connection)
    for after in range(0, last, _BATCH):
        yield from journal.events_after(connection, after, through=after + _BATCH, of_types=_TEXTS)
