"""What was said, put into the log under the ids that a framework gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ebbing.ingest.items import MessageFactory
from ebbing.journal.messages import message_event
from ebbing.memory import Memory
from ebbing.safety.text import clean


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message; without an id it is told apart by its time."""

    role: str
    text: str
    message_id: str | None = None
    at: datetime | None = None


def log(memory: Memory, messages: Iterable[Said], *, session_id: str, source: str) -> None:
    """Append messages to the session log; one that is there already is not added again."""
    factory = MessageFactory()
    events = []
    for said in messages:
        if content := clean(said.text):
            message = factory.message(
                session_id=session_id,
                role=said.role,
                content=content,
                occurred_at=said.at,
                source_id=said.message_id,
            )
            safe = message_event(
                message, namespace=memory.namespace, source=source, default_time=memory.now()
            )
            if safe.event is not None:
                events.append(safe.event)
    if events:
        memory.store.append(events)
