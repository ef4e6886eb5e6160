"""What the runner appends for a memory: text made safe, ids, one event."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ebbing import journal
from ebbing.errors import InputError
from ebbing.journal import ids
from ebbing.safety.redaction import sanitise
from ebbing.safety.text import clean, clean_id, clean_memory, clean_namespace

_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a memory came from; all optional."""

    session_id: str | None = None
    message_id: str | None = None
    task_id: str | None = None
    model_id: str | None = None
    metadata: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one memory.

    `valid_from` is when it is true from, naive UTC.
    `is_spooled`: the store was busy, and the memory waits in the spool for the next writer.
    `is_embedded`: False while it waits for its vector; words find it meanwhile.
    `redacted` names the secrets that were taken out. `note` says what else a user should know.
    """

    memory_id: str
    content: str
    valid_from: datetime
    is_spooled: bool
    is_embedded: bool
    redacted: tuple[str, ...] = ()
    note: str | None = None


def clean_kind(kind: str) -> str:
    """Return a kind's name, or refuse it."""
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise InputError(
            f"{kind!r} is no kind of memory; nothing was stored; use lower-case letters, digits "
            "and underscores, as in fact, preference, skill"
        )
    return kind


def clean_origin(origin: Origin | None) -> Origin | None:
    """Return where a memory came from, or refuse an id that can't be one."""
    if origin is not None:
        clean_id(origin.session_id, "session")
        clean_id(origin.message_id, "message")
        clean_id(origin.task_id, "task")
    return origin


def clean_importance(importance: float | None) -> float | None:
    """Return an importance from 0 to 1, or refuse it."""
    if importance is None or 0.0 <= importance <= 1.0:
        return importance
    raise InputError(
        f"an importance of {importance} is out of range; nothing was stored; give 0 to 1"
    )


def write_event(
    content: str,
    *,
    namespace: str,
    kind: str,
    actor: str,
    method: str,
    at: datetime,
    recorded_at: datetime,
    importance: float | None = None,
    is_pinned: bool = False,
    expires_at: datetime | None = None,
    origin: Origin | None = None,
) -> tuple[journal.MemoryWrite, tuple[str, ...]]:
    """Return the event that states a memory, and what was redacted from its text.

    `at` is when it is true from, `recorded_at` when it was learnt; naive UTC both.
    """
    origin = origin or Origin()
    safe = sanitise(clean(content) if isinstance(content, str) else "")
    text = clean_memory(safe.text)
    scope = clean_namespace(namespace)
    event = journal.MemoryWrite(
        memory_id=ids.memory_id(scope, text),
        namespace=scope,
        kind=clean_kind(kind),
        content=text,
        content_hash=ids.content_hash(text),
        importance=clean_importance(importance),
        is_pinned=is_pinned,
        expires_at=expires_at,
        actor=actor,
        method=method,
        model_id=origin.model_id,
        session_id=origin.session_id,
        message_id=origin.message_id,
        task_id=origin.task_id,
        metadata=None if origin.metadata is None else _json(origin.metadata),
        occurred_at=at,
        recorded_at=recorded_at,
    )
    return event, safe.findings


def _json(metadata: Mapping[str, object]) -> str:
    try:
        encoded = json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the metadata is not JSON ({error}); nothing was stored; use plain values"
        ) from None
    return sanitise(encoded).text
