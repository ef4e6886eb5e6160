"""What an event from outside must be.

The runner's own events are sound by how they are made. Those of an export may have been made, or
damaged, by anybody: each is checked against what the models rely on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from ebbing import journal
from ebbing.errors import InputError
from ebbing.journal import Event, ids
from ebbing.safety.text import MAX_MEMORY_CHARACTERS, clean_namespace

_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MEMORY_ID = re.compile(r"mem_[0-9a-f]{16}")
_HASH = re.compile(r"[0-9a-f]{64}")
_CHANGES = frozenset({"forget", "restore", "supersede", "pin", "unpin", "unmerge"})

# A person's earliest memory is younger, and no plan reaches further.
_EARLIEST = datetime(1800, 1, 1)
_LATEST = datetime(2300, 1, 1)
# Clocks differ; an id from further ahead would come after everything that is ever written.
_MOST_AHEAD = timedelta(days=2)

_MOST_ID_CHARACTERS = 500
_LARGEST_DIMENSION = 16_384
_LARGEST_FLOAT = 3.4e38
_LARGEST_COUNT = 2**53

# Least and greatest value of a field; others are not negative counts.
_RANGES: Mapping[str, tuple[float, float]] = {
    "importance": (0.0, 1.0),
    "rating": (0, 3),
    "hit_rank": (1, 2**31 - 1),
    "top_k": (1, 2**31 - 1),
    "dimension": (1, _LARGEST_DIMENSION),
    # A cosine, give or take what rounding does.
    "similarity": (-1.001, 1.001),
    "min_similarity": (-1.001, 1.001),
}


class Border:
    """Checks the events of one source, in order; knows the models that it named."""

    def __init__(self, dimensions: Mapping[str, int], *, now: datetime) -> None:
        """Begin with the dimensions of the models that the journal knows, by model id."""
        self._dimensions = dict(dimensions)
        self._latest_id_ms = int((now.replace(tzinfo=UTC) + _MOST_AHEAD).timestamp() * 1000)

    def check(self, event: Event) -> None:
        """Raise a ValueError that says why an event may not be stored."""
        _check_id(event.event_id, self._latest_id_ms)
        for item in fields(event):
            _check_value(item.name, getattr(event, item.name))
        if (check := _BY_TYPE.get(type(event))) is not None:
            check(self, event)

    def _model(self, event: journal.EmbeddingModel) -> None:
        known = self._dimensions.setdefault(event.model_id, event.dimension)
        if known != event.dimension:
            raise ValueError(f"model {event.model_id!r} has {known} numbers a vector")

    def _embedding(self, event: journal.Embedding) -> None:
        _check_hash(event.content_hash)
        expected = self._dimensions.get(event.model_id)
        if expected is None:
            raise ValueError(f"no model {event.model_id!r} is known")
        if len(event.vector) != expected:
            raise ValueError(f"its vector has {len(event.vector)} numbers, not {expected}")
        if not any(event.vector):
            raise ValueError("its vector is all zeros")

    def _write(self, event: journal.MemoryWrite) -> None:
        scope = _namespace(event.namespace)
        if event.memory_id != ids.memory_id(scope, event.content):
            raise ValueError("its memory id is not that of its namespace and text")
        if event.content_hash != ids.content_hash(event.content):
            raise ValueError("its content hash is not that of its text")
        if not _KIND.fullmatch(event.kind):
            raise ValueError(f"{event.kind[:60]!r} is no kind of memory")
        if not event.content.strip():
            raise ValueError("its text is empty")
        if len(event.content) > MAX_MEMORY_CHARACTERS:
            raise ValueError(f"its text has {len(event.content):,} characters")
        _check_json(event.metadata)

    def _message(self, event: journal.Message) -> None:
        _namespace(event.namespace)
        if not event.content.strip():
            raise ValueError("its text is empty")

    def _change(self, event: journal.MemoryChange) -> None:
        _check_memory_id(event.memory_id)
        if event.other_memory_id is not None:
            _check_memory_id(event.other_memory_id)
        if event.change not in _CHANGES:
            raise ValueError(f"{event.change[:60]!r} is no change of a memory")

    def _recall(self, event: journal.Recall) -> None:
        for namespace in event.namespaces:
            _namespace(namespace)

    def _start(self, event: journal.TaskStart) -> None:
        _namespace(event.namespace)

    def _of_memory(self, event: journal.RecallHit | journal.Rating) -> None:
        _check_memory_id(event.memory_id)

    def _erasure(self, event: journal.Erasure) -> None:
        _namespace(event.namespace)
        _check_hash(event.content_hash)
        _check_hash(event.memory_id_hash)


_BY_TYPE: Mapping[type[Event], Callable[[Border, Any], None]] = {
    journal.EmbeddingModel: Border._model,
    journal.Embedding: Border._embedding,
    journal.MemoryWrite: Border._write,
    journal.Message: Border._message,
    journal.MemoryChange: Border._change,
    journal.Recall: Border._recall,
    journal.RecallHit: Border._of_memory,
    journal.TaskStart: Border._start,
    journal.Rating: Border._of_memory,
    journal.Erasure: Border._erasure,
}


def _check_id(event_id: str, latest_ms: int) -> None:
    try:
        parsed = UUID(event_id)
    except ValueError:
        raise ValueError("its event id is no UUID") from None
    if str(parsed) != event_id or parsed.version != 7:
        raise ValueError("its event id is no UUID of version 7")
    if parsed.int >> 80 > latest_ms:
        raise ValueError("its event id is from the future")


def _check_value(name: str, value: object) -> None:
    if isinstance(value, datetime):
        if not _EARLIEST <= value.replace(tzinfo=None) < _LATEST:
            raise ValueError(f"{name} is {value.isoformat()[:30]}, out of range")
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float):
        least, greatest = _RANGES.get(name, _default_range(value))
        if not least <= value <= greatest:
            raise ValueError(f"{name} is out of range")
    elif isinstance(value, str):
        if not value and not name.endswith(("content", "description", "text", "detail", "reason")):
            raise ValueError(f"{name} is empty")
        if name.endswith("_id") and (
            len(value) > _MOST_ID_CHARACTERS
            or any(ord(one) < 32 or ord(one) == 127 for one in value)
        ):
            raise ValueError(f"{name} is no id")
    elif isinstance(value, Sequence) and value and isinstance(value[0], int | float):
        if not all(math.isfinite(number) and abs(number) <= _LARGEST_FLOAT for number in value):
            raise ValueError(f"{name} holds a number that is not finite")
    elif isinstance(value, Sequence) and not value:
        raise ValueError(f"{name} is empty")


def _default_range(value: float) -> tuple[float, float]:
    if isinstance(value, int):
        return 0, _LARGEST_COUNT
    return -_LARGEST_FLOAT, _LARGEST_FLOAT


def _check_memory_id(memory_id: str) -> None:
    if not _MEMORY_ID.fullmatch(memory_id):
        raise ValueError(f"{memory_id[:60]!r} is no memory's id")


def _check_hash(value: str) -> None:
    if not _HASH.fullmatch(value):
        raise ValueError("its hash is no SHA-256")


def _namespace(namespace: str) -> str:
    try:
        name = clean_namespace(namespace)
    except InputError as error:
        raise ValueError(str(error).split(";", 1)[0]) from None
    if name != namespace:
        raise ValueError("its namespace is not as ebbing writes it")
    return name


def _check_json(metadata: str | None) -> None:
    if metadata is None:
        return
    try:
        json.loads(metadata)
    except (ValueError, RecursionError):
        raise ValueError("its metadata is no JSON") from None
