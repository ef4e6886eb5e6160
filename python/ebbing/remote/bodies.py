"""Events as a remote in Postgres keeps them: JSON, with vectors apart and in binary."""

from __future__ import annotations

import sys
from array import array
from dataclasses import replace
from hashlib import md5, sha256
from typing import Any

from ebbing import journal
from ebbing.journal import ids
from ebbing.journal.events import Event

_VECTORS: dict[type[Event], str] = {journal.Embedding: "vector", journal.Recall: "query_vector"}


def memory_hashes(event: Event) -> list[str]:
    """Return digests of the ids of the memories without which an event says nothing."""
    named = (getattr(event, "memory_id", None), getattr(event, "other_memory_id", None))
    return [ids.content_hash(one) for one in named if one is not None]


def natural_key(event: Event) -> str | None:
    """Return a digest of the columns by which a journal has an event already, if it has such."""
    if not event.natural_key:
        return None
    parts = [str(getattr(event, name)) for name in event.natural_key]
    return sha256("\x1f".join(parts).encode("utf-8")).hexdigest()


def body_of(event: Event) -> tuple[str, bytes | None]:
    """Return an event as JSON without its vector, and the vector in binary."""
    name = _VECTORS.get(type(event))
    values = getattr(event, name) if name else None
    if name is None or values is None:
        return journal.to_json(event), None
    vector = array("f", values)
    return journal.to_json(_with(event, name, (0.0,))), _swapped(vector).tobytes()


def event_of(body: str, vector: bytes | None) -> Event:
    """Return the event of what `body_of` gave; a ValueError for one of a newer version."""
    event = journal.from_json(body)
    name = _VECTORS.get(type(event))
    if name is None or vector is None:
        return event
    values = array("f")
    values.frombytes(vector)
    return _with(event, name, tuple(_swapped(values)))


def _swapped(values: array[float]) -> array[float]:
    if sys.byteorder == "big":
        values = array("f", values)
        values.byteswap()
    return values


def _with(event: Event, name: str, vector: tuple[float, ...]) -> Event:
    changed: dict[str, Any] = {name: vector}
    return replace(event, **changed)


def digest(event: Event) -> str:
    """Return the MD5 of an event's JSON, its vector aside."""
    body, _ = body_of(event)
    return md5(body.encode("utf-8"), usedforsecurity=False).hexdigest()
