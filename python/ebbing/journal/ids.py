"""Names of things: event ids that sort by time, and ids that follow from what they name."""

from __future__ import annotations

import hashlib
from uuid import UUID

import uuid_utils

# Joins the parts of a hashed name; no cleaned text can hold it, so parts cannot run together.
_SEPARATOR = "\x1f"


def event_id() -> str:
    """Return a new UUIDv7; within a process, a later call sorts after an earlier one."""
    return str(uuid_utils.uuid7())


def event_id_after(other: str) -> str:
    """Return a new event id, or the one after another id where that is from a clock ahead."""
    new = event_id()
    return new if new > other else str(UUID(int=UUID(other).int + 1))


def content_hash(content: str) -> str:
    """Return the SHA-256 of cleaned text, in hex."""
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


def memory_id(namespace: str, content: str) -> str:
    """Return the id of a memory: the same text in the same namespace has the same id."""
    return "mem_" + _short_hash(namespace, content)


def message_id(*parts: str | int) -> str:
    """Return the id of a message from whatever tells it apart in its source, in a fixed order."""
    return "msg_" + _short_hash(*(str(part) for part in parts))


def recall_id() -> str:
    """Return a new id for one recall; sorts by time."""
    return "rec_" + uuid_utils.uuid7().hex


def task_id() -> str:
    """Return a new id for one task; sorts by time."""
    return "task_" + uuid_utils.uuid7().hex


def _short_hash(*parts: str) -> str:
    return content_hash(_SEPARATOR.join(parts))[:16]
