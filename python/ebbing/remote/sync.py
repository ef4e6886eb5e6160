"""A store and a remote brought to the same set of events: pulled first, then sent.

All may be done twice, and any of it by several processes at once: events are dropped by their id,
and an older mark only leads to a second reading.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ebbing import journal
from ebbing.clock import utc_now
from ebbing.embedding.model import RecordedModel, recorded_model_or_none
from ebbing.errors import ModelMismatch, RemoteAway
from ebbing.journal.admission import Admission
from ebbing.journal.events import Event
from ebbing.remote.asking import PATIENCE, asked, forget_remote, remote_of
from ebbing.remote.marks import known_mark, read_mark, shared_through
from ebbing.remote.protocol import SHARED, Delivery, Mark, Model, Remote, StaleMark
from ebbing.remote.scopes import namespaces_of
from ebbing.remote.settings import Link, links
from ebbing.store.location import REWRITTEN_NAME
from ebbing.store.store import Store

# How often tombstones may come in between before a sync gives up.
_MOST_TRIES = 5
# How many places of the journal are looked at together.
_BATCH = 1_000
# How many batches a pull takes in while somebody waits for an answer.
_MOST_BATCHES = 5


_NOTHING: Iterator[list[Event]] = iter(())


@dataclass(frozen=True, slots=True)
class Synced:
    """What went between a store and a remote.

    `is_whole`: all that is there was read, since it is not the remote that it was, or the first
    time. `refused` says which events the store does not take, and why; `unreadable` ones were
    written by a newer version and wait there. `problems` are files that are not whole yet.
    `tombstones` came that speak of what others erased, and `erased` memories went here with them.
    """

    remote: str
    received: int
    sent: int
    is_whole: bool
    refused: tuple[str, ...] = ()
    unreadable: int = 0
    problems: tuple[str, ...] = ()
    tombstones: int = 0
    erased: int = 0

    def with_more(self, other: Synced) -> Synced:
        """Return both as one."""
        return replace(
            other,
            received=self.received + other.received,
            sent=self.sent + other.sent,
            is_whole=self.is_whole or other.is_whole,
            refused=(*self.refused, *other.refused),
            unreadable=max(self.unreadable, other.unreadable),
            tombstones=self.tombstones + other.tombstones,
            erased=self.erased + other.erased,
        )


def sync(store: Store, *, is_whole: bool = False) -> tuple[Synced, ...]:
    """Bring the store and its remotes to the same events; `is_whole` reads all of them again."""
    done = tuple(sync_link(store, link, is_whole=is_whole) for link in links(store.folder))
    (store.folder / REWRITTEN_NAME).unlink(missing_ok=True)
    return done


def sync_link(store: Store, link: Link, *, is_whole: bool = False) -> Synced:
    """Bring the store and one of its remotes to the same events."""
    # Late: it erases, for which dbt is needed.
    from ebbing.remote.erasing import erase_what_others_did, is_anything_erased, send_erasures

    require_model(store, link)
    total = Synced(link.url, 0, 0, False)
    mark = None if is_whole else read_mark(store, link.url)
    are_erasures_sent = False
    for _ in range(_MOST_TRIES):
        total = total.with_more(pull(store, link, mark))
        if total.tombstones:
            erased = erase_what_others_did(store)
            total = replace(total, tombstones=0, erased=total.erased + erased)
            are_erasures_sent = False
        mark = read_mark(store, link.url)
        assert mark is not None
        try:
            if not are_erasures_sent and is_anything_erased(store, mark):
                are_erasures_sent = send_erasures(store, link, mark)
                # What was sent, or came in between, is to be in the mark.
                continue
            return replace(total, sent=total.sent + push(store, link, are_erasures_sent=True))
        except StaleMark:
            continue
    raise RemoteAway(f"others erase at {link.url} all the time; nothing was harmed; try again")


def require_model(store: Store, link: Link, *, is_new: bool = False) -> None:
    """Refuse a remote whose vectors are of another model than the store's; a new one takes it."""
    with store.read() as connection:
        recorded = recorded_model_or_none(connection)
    own = None if recorded is None else Model(recorded.model_id, recorded.dimension)
    if is_new:
        asked(link, lambda remote: remote.make(own))
    there = asked(link, lambda remote: remote.model())
    if own is not None and there is not None and own != there:
        raise ModelMismatch(_other_model(link, recorded, there))


def _other_model(link: Link, recorded: RecordedModel | None, there: Model) -> str:
    used = recorded.model_id if recorded else "none"
    return (
        f"{link.url} holds vectors of {there.model_id}, and this store uses {used}; nothing was "
        f"exchanged; change the store over: ebbing reembed --model {there.model_id.split('@')[0]}"
    )


# Pulling


def pull(store: Store, link: Link, mark: Mark | None) -> Synced:
    """Take what is new at the remote into the journal, in batches of which each counts."""
    remote = remote_of(link)
    delivering = remote.deliver(mark)
    try:
        delivery = asked(link, lambda remote: delivering.__enter__())
        delivery.batches = _patiently(link, delivery.batches)
        done = take(store, link, mark, delivery)
        asked(link, lambda remote: delivering.__exit__(None, None, None))
    except BaseException:
        forget_remote(link)
        raise
    return done


def take(
    store: Store, link: Link, mark: Mark | None, delivery: Delivery, *, budget: float | None = None
) -> Synced:
    """Take what was delivered into the journal; then the mark, so that nothing is left out."""
    with store.read(budget=budget) as connection:
        admission = Admission(connection, now=utc_now())
    received = tombstones = 0
    pending: list[Event] = []
    for events in delivery.batches:
        tombstones += _unknown_tombstones(store, events)
        received += _append(store, admission, pending, None, budget=budget)
        pending = events
    if pending or delivery.is_whole:
        cursor = journal.RemoteCursor(
            remote=link.url,
            identity=delivery.identity,
            position=delivery.position,
            sent_through=0 if delivery.is_whole or mark is None else mark.sent_through,
        )
        received += _append(store, admission, pending, cursor, budget=budget)
    return Synced(
        remote=link.url,
        received=received,
        sent=0,
        is_whole=delivery.is_whole,
        refused=tuple(reason for _, reason in admission.faults),
        unreadable=delivery.unreadable,
        problems=tuple(delivery.problems),
        tombstones=tombstones,
    )


def _unknown_tombstones(store: Store, events: Sequence[Event]) -> int:
    found = [event for event in events if isinstance(event, journal.Erasure)]
    if not found:
        return 0
    with store.read() as connection:
        return len(found) - journal.count_present(connection, found)


def pull_within(store: Store, link: Link, seconds: float) -> Synced:
    """Take what is new, if the remote answers in time and it is not much: a sync takes the rest."""
    deadline = time.monotonic() + seconds
    mark = known_mark(store, link.url)
    if mark is None:
        raise RemoteAway(f"{link.url} was not read yet; `ebbing sync` does it")

    def fetched(remote: Remote) -> Delivery:
        with remote.deliver(mark) as delivery:
            batches = list(islice(delivery.batches, _MOST_BATCHES + 1))
            is_erasing = any(isinstance(events[0], journal.Erasure) for events in batches)
            if delivery.is_whole or is_erasing or len(batches) > _MOST_BATCHES:
                raise RemoteAway(f"{link.url} has much that is new; `ebbing sync` takes it in")
            delivery.batches = iter(batches) if batches else _NOTHING
            return delivery

    delivery = asked(link, fetched, seconds=seconds)
    if delivery.batches is _NOTHING:
        # The store need not even be opened.
        return Synced(link.url, 0, 0, False)
    return take(store, link, mark, delivery, budget=max(deadline - time.monotonic(), 0.0))


def _append(
    store: Store,
    admission: Admission,
    events: Sequence[Event],
    cursor: journal.RemoteCursor | None,
    *,
    budget: float | None,
) -> int:
    if not events and cursor is None:
        return 0
    with store.write(budget=budget) as connection:
        store.fold_spool(connection)
        admitted: list[Event] = list(admission.admitted(connection, list(enumerate(events))))
        if cursor is None:
            return store.insert(connection, admitted)
        all_is_there = shared_through(connection) <= cursor.sent_through
        received = store.insert(connection, admitted) if admitted else 0
        if all_is_there:
            # And so is what has come from there.
            cursor = replace(cursor, sent_through=shared_through(connection))
        store.insert(connection, [cursor])
        return received


def _patiently(link: Link, batches: Iterator[list[Event]]) -> Iterator[list[Event]]:
    while True:
        events = asked(link, lambda remote: next(batches, None))
        if events is None:
            return
        yield events


# Sending


def push(
    store: Store, link: Link, *, seconds: float = PATIENCE, are_erasures_sent: bool = False
) -> int:
    """Send what the journal has and the remote has not; return how many events are new there."""
    # Late: it erases, for which dbt is needed.
    from ebbing.remote.erasing import is_anything_erased

    if store.spool.waiting():
        with store.write() as connection:
            store.fold_spool(connection)
    mark = read_mark(store, link.url)
    if mark is None:
        # Tombstones may be there, and come before anything is sent.
        raise RemoteAway(f"{link.url} was not read yet; `ebbing sync` does it")
    if not are_erasures_sent and is_anything_erased(store, mark):
        raise RemoteAway(f"{link.url} is to be told of an erasure first; `ebbing sync` does it")
    with store.read() as connection:
        last = shared_through(connection)
    scope = asked(link, lambda remote: remote.scope(), seconds=seconds) if last else None
    sent, through = 0, mark.sent_through
    while through < last:
        after, through = through, min(through + _BATCH, last)
        with store.read() as connection:
            events = journal.events_after(connection, after, through=through, of_types=SHARED)
            named = zip(events, namespaces_of(connection, events), strict=True)
        # What this user may not write there is this machine's own.
        allowed = [one for one in named if _is_allowed(*one, scope)]
        sent += _send_missing(link, mark, allowed, seconds)
    if last > mark.sent_through:
        with store.write() as connection:
            cursor = journal.RemoteCursor(
                remote=link.url,
                identity=mark.identity,
                position=mark.position,
                sent_through=last,
            )
            store.insert(connection, [cursor])
    return sent


def _is_allowed(
    event: Event, namespaces: Sequence[str] | None, scope: frozenset[str] | None
) -> bool:
    if scope is None or namespaces is None:
        return scope is None
    if isinstance(event, journal.Embedding):
        # One text may stand in several namespaces.
        return not scope.isdisjoint(namespaces)
    return scope.issuperset(namespaces)


def _send_missing(
    link: Link,
    mark: Mark,
    events: Sequence[tuple[Event, Sequence[str] | None]],
    seconds: float,
) -> int:
    if not events:
        return 0
    event_ids = [event.event_id for event, _ in events]
    missing = asked(link, lambda remote: remote.missing(event_ids), seconds=seconds)
    new = [(event, scope) for event, scope in events if event.event_id in missing]
    if not new:
        return 0
    return asked(
        link,
        lambda remote: remote.send([event for event, _ in new], [scope for _, scope in new], mark),
        seconds=seconds,
    )
