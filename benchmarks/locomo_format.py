"""The LoCoMo file: an array of long conversations between two people, in dated sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO

from ebbing.ingest.content import Unreadable
from ebbing.ingest.formats import LogFormat
from ebbing.ingest.items import (
    BadLine,
    MessageFactory,
    ParsedMessage,
    read_id,
    read_speaker,
    read_time,
)
from ebbing.ingest.json_values import JsonValues, load_object
from ebbing.safety import text

# A conversation is one item here: some 300 kB in the published file.
MAX_CONVERSATION_BYTES = 100_000_000

_START = re.compile(rb'\[?\s*\{\s*"(?:qa|conversation|sample_id|event_summary|observation)"\s*:')
_SESSION = re.compile(r"session_(\d{1,6})")


def is_locomo(head: bytes) -> bool:
    """Tell whether a file begins as LoCoMo's."""
    return _START.match(head) is not None


def read_locomo(stream: BinaryIO, *, session_id: str = "") -> Iterator[ParsedMessage | BadLine]:
    """Yield each turn as a message of the session `<sample_id>/session_N`; each has its name."""
    values = JsonValues(stream)
    factory = MessageFactory()
    if values.peek() == b"[":
        values.take()
    number = 0
    while byte := values.peek():
        if byte in (b",", b"]"):
            values.take()
            continue
        number += 1
        try:
            sample = load_object(values.value(limit=MAX_CONVERSATION_BYTES))
            yield from _conversation(sample, number, factory)
        except Unreadable as reason:
            yield BadLine(number, str(reason))
        except RecursionError:
            yield BadLine(number, "nested too deeply")


def _conversation(
    sample: dict[str, object], number: int, factory: MessageFactory
) -> Iterator[ParsedMessage | BadLine]:
    sample_id = read_id(sample.get("sample_id"))
    conversation = sample.get("conversation")
    if sample_id is None or not isinstance(conversation, dict):
        raise Unreadable("no sample_id or no conversation")
    sessions = sorted(
        (int(found[1]), key) for key in conversation if (found := _SESSION.fullmatch(key))
    )
    for _, key in sessions:
        turns = conversation[key]
        if not isinstance(turns, list):
            yield BadLine(number, f"{key}: not a list of turns")
            continue
        begins: datetime | None = None
        try:
            # The file names no zone: its times are taken as UTC.
            begins = read_time(conversation.get(f"{key}_date_time"))
        except Unreadable as reason:
            yield BadLine(number, f"{key}: {reason}; its turns have no time")
        for order, turn in enumerate(turns):
            try:
                content, turn_id, speaker = _turn(turn)
            except Unreadable as reason:
                yield BadLine(number, f"{key}, turn {order + 1}: {reason}")
                continue
            yield factory.message(
                session_id=f"{sample_id}/{key}",
                # Both are people, and what either says of themselves may be worth keeping.
                role="user",
                content=content,
                occurred_at=begins and begins + timedelta(seconds=order),
                source_id=turn_id,
                speaker=speaker,
            )


def _turn(turn: object) -> tuple[str, str | None, str | None]:
    if not isinstance(turn, dict):
        raise Unreadable("not an object")
    said, speaker = turn.get("text"), turn.get("speaker")
    caption = turn.get("blip_caption")
    if not isinstance(said, str) or not isinstance(speaker, str):
        raise Unreadable("no text or no speaker")
    shown = f" [{caption}]" if isinstance(caption, str) and caption.strip() else ""
    if not text.clean(said + shown):
        raise Unreadable("the text is empty")
    whole = text.clean(f"{speaker.strip()}: {said.strip()}{shown}")
    return whole, read_id(turn.get("dia_id")), read_speaker(turn)


FORMAT = LogFormat(read=read_locomo, is_start=is_locomo)
