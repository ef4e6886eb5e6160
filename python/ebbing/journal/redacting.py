"""Events that come from elsewhere, without the secrets that another version let in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from ebbing.journal import ids
from ebbing.journal.events import (
    Embedding,
    Event,
    MemoryChange,
    MemoryWrite,
    Message,
    Rating,
    Recall,
    RecallHit,
    TaskStart,
)
from ebbing.safety.redaction import sanitise

_Referring = TypeVar("_Referring", MemoryChange, RecallHit, Rating)


class RedactedEvents:
    """Redacts the texts of one export, and follows memories whose id changed with their text."""

    def __init__(self) -> None:
        """Start with an export of which nothing was read yet."""
        self._new_ids: dict[str, str] = {}
        self._gone: set[str] = set()

    def redacted(self, event: Event) -> Event | None:
        """Return an event that may be stored, or None for the vector of a redacted text."""
        match event:
            case Message():
                return _with_safe(event, "content")
            case MemoryWrite():
                return self._write(_with_safe(event, "metadata"))
            case MemoryChange():
                change = self._followed(_with_safe(_with_safe(event, "reason"), "detail"))
                other = change.other_memory_id
                return replace(change, other_memory_id=self._new_ids.get(other or "", other))
            case RecallHit():
                return self._followed(event)
            case Rating():
                return self._followed(event)
            case Recall():
                return _with_safe(event, "query_text")
            case TaskStart():
                return _with_safe(event, "description")
            case Embedding():
                return None if event.content_hash in self._gone else event
        return event

    def _write(self, event: MemoryWrite) -> MemoryWrite:
        safe = _with_safe(event, "content")
        if safe.content == event.content:
            return event
        content_hash = ids.content_hash(safe.content)
        memory_id = ids.memory_id(safe.namespace, safe.content)
        self._new_ids[event.memory_id] = memory_id
        self._gone.add(event.content_hash)
        return replace(safe, content_hash=content_hash, memory_id=memory_id)

    def _followed(self, event: _Referring) -> _Referring:
        memory_id = self._new_ids.get(event.memory_id)
        return event if memory_id is None else replace(event, memory_id=memory_id)


_Event = TypeVar("_Event", bound=Event)


def _with_safe(event: _Event, name: str) -> _Event:
    text = getattr(event, name)
    if text is None:
        return event
    safe = sanitise(text)
    # A sound text stays letter for letter: its id follows from it.
    changed: dict[str, Any] = {name: safe.text}
    return replace(event, **changed) if safe.findings else event
