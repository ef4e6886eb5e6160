"""Writes of a store that has remotes: acknowledged when they are committed there.

What cannot be sent is kept in the store, which says so, and goes out with the next sync. A remote
that was away is not asked again for a while by those who would have to wait for it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from ebbing.errors import EbbingError, RemoteError
from ebbing.journal.events import Embedding, Event, MemoryWrite
from ebbing.remote.asking import asked
from ebbing.remote.protocol import SHARED
from ebbing.remote.scopes import namespaces_of
from ebbing.remote.settings import Link, links
from ebbing.remote.sync import pull_within, push
from ebbing.store.files import touch
from ebbing.store.store import Appended, Store

_logger = logging.getLogger("ebbing")

# The longest that somebody who writes waits for a remote, in seconds.
_LONGEST_SEND = 2.0
# How long a remote that was away is left alone by those who would have to wait.
_PAUSE = 15.0
_AWAY_NAME = "remotes.away"

_warned: list[str] = []


def append(
    store: Store, events: Sequence[Event], *, budget: float, namespace: str | None
) -> Appended:
    """Commit events at every remote, and keep them in the store."""
    shared = [event for event in events if isinstance(event, SHARED)]
    if not shared:
        return store.append(events, budget=budget, namespace=namespace, is_local=True)
    is_known_whole = namespace is None and all(
        isinstance(event, MemoryWrite | Embedding) for event in events
    )
    if not is_known_whole:
        # Whether they may be written, or are there already, the journal has to say first.
        appended = store.append(events, budget=budget, namespace=namespace, is_local=True)
        return _said(replace(appended, away=_push(store, budget)))
    away = _commit(store, shared, budget)
    if away is not None:
        appended = store.append(events, budget=budget, is_local=True)
        return _said(replace(appended, away=away))
    # It is safe there; the next who opens the store takes it in.
    store.spool.write(events, is_copy=True)
    return Appended(inserted=len(events), spooled=0)


def refresh(store: Store, *, budget: float) -> str | None:
    """Take in what is new at the remotes, if that is quick; say why it was not, if so."""
    note = None
    for link in links(store.folder):
        if _is_left_alone(store):
            continue
        try:
            pull_within(store, link, budget)
        except (EbbingError, OSError) as error:
            note = _note(store, error)
        else:
            _is_back(store, budget)
    return note


def _said(appended: Appended) -> Appended:
    """Say once in a process that what is written does not go out yet."""
    if appended.away is not None and not _warned:
        _warned.append(appended.away)
        _logger.warning("kept here, and not sent yet: %s", appended.away)
    return appended


def _commit(store: Store, events: Sequence[Event], budget: float) -> str | None:
    if _is_left_alone(store):
        return "the remote was away a moment ago"
    seconds = min(budget, _LONGEST_SEND)
    try:
        for link in links(store.folder):
            _send(link, events, seconds)
    except RemoteError as error:
        return _note(store, error)
    _is_back(store, budget)
    return None


def _send(link: Link, events: Sequence[Event], seconds: float) -> None:
    namespaces = namespaces_of(None, events)
    asked(link, lambda remote: remote.send(events, namespaces), seconds=seconds)


def _push(store: Store, budget: float) -> str | None:
    if _is_left_alone(store):
        return "the remote was away a moment ago"
    try:
        for link in links(store.folder):
            push(store, link, seconds=min(budget, _LONGEST_SEND))
    except (EbbingError, OSError) as error:
        return _note(store, error)
    return None


def _is_back(store: Store, budget: float) -> None:
    """Send what waits, once a remote that was away answers again."""
    path = store.folder / _AWAY_NAME
    if path.exists():
        path.unlink(missing_ok=True)
        _push(store, budget)


def _is_left_alone(store: Store) -> bool:
    try:
        return time.time() - (store.folder / _AWAY_NAME).stat().st_mtime < _PAUSE
    except OSError:
        return False


def _note(store: Store, error: EbbingError | OSError) -> str:
    touch(store.folder / _AWAY_NAME)
    return str(error)
