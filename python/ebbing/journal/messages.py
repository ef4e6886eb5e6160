"""A message that was read somewhere, as the journal keeps it: redacted, with its id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ebbing import journal
from ebbing.ingest.items import ParsedMessage
from ebbing.journal import ids
from ebbing.safety.redaction import sanitise
from ebbing.safety.text import clean


@dataclass(frozen=True, slots=True)
class SafeMessage:
    """The event, or None where nothing was left to store, and the types of what was redacted."""

    event: journal.Message | None
    findings: tuple[str, ...]


def message_event(
    message: ParsedMessage, *, namespace: str, source: str, default_time: datetime
) -> SafeMessage:
    """Return the event of a message; `default_time` is for one that says none."""
    safe = sanitise(clean(message.content))
    content = clean(safe.text)
    if not content:
        return SafeMessage(None, safe.findings)
    event = journal.Message(
        # One log may be read into several namespaces; each has its own copy.
        message_id=ids.message_id(namespace, message.message_id),
        namespace=namespace,
        session_id=message.session_id,
        message_seq=message.message_seq,
        role=message.role,
        content=content,
        source=source,
        occurred_at=message.occurred_at or default_time,
        speaker=message.speaker,
        is_dated=message.occurred_at is not None,
    )
    return SafeMessage(event, safe.findings)
