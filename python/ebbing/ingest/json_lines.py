"""JSON lines of messages: `{"session_id": ..., "role": ..., "content": ..., "ts": ...}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from ebbing.ingest.content import Unreadable, read_content
from ebbing.ingest.items import (
    BadLine,
    MessageFactory,
    ParsedMessage,
    read_id,
    read_role,
    read_speaker,
    read_time,
)
from ebbing.ingest.lines import read_lines

SESSION_KEYS = ("session_id", "sessionId", "conversation_id", "thread_id")
TIME_KEYS = ("ts", "timestamp", "occurred_at", "created_at", "create_time", "time", "date")
ID_KEYS = ("uuid", "message_id", "id")


def is_message(item: Mapping[str, object]) -> bool:
    """Tell whether a line's object is a message."""
    return "content" in item or "role" in item


def first_of(item: dict[str, object], keys: Iterable[str]) -> object:
    """Return the value of the first of the keys that has one."""
    return next((item[key] for key in keys if item.get(key) is not None), None)


def read_json_lines(stream: BinaryIO, *, session_id: str) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines that name no session."""
    factory = MessageFactory()

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        content = read_content(item.get("content"))
        if not content:
            raise Unreadable("the content is empty")
        role = read_role(item.get("role"))
        yield factory.message(
            session_id=read_id(first_of(item, SESSION_KEYS)) or session_id,
            role=role,
            content=content,
            occurred_at=read_time(first_of(item, TIME_KEYS)),
            source_id=read_id(first_of(item, ID_KEYS)),
            speaker=read_speaker(item) if role == "user" else None,
        )

    return read_lines(stream, read_object)
