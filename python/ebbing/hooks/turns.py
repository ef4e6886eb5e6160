"""The new turns of a session into the spool, each once.

A watermark beside the store says how far a transcript has been read. It moves after the turns are
safe in the spool; if a hook dies in between, they are read again and the journal, which knows
their ids, takes them once.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from ebbing import journal
from ebbing.agents.agent import SentMessage
from ebbing.errors import InputError
from ebbing.hooks.state import SessionState, is_running, read_json, short_hash, write_json
from ebbing.hooks.tools import corrections
from ebbing.ingest.content import Unreadable
from ebbing.ingest.items import (
    BadLine,
    MessageFactory,
    ParsedMessage,
    ToolCall,
    read_role,
    read_time,
)
from ebbing.ingest.json_values import MAX_BYTES
from ebbing.journal import ids
from ebbing.journal.messages import message_event
from ebbing.journal.spool import Spool
from ebbing.journal.writing import Origin, write_event
from ebbing.safety.deadline import redaction_until
from ebbing.safety.redaction import safe_text
from ebbing.safety.text import clean

# Read, redacted and spooled in one piece; the deadline is looked at in between.
_PIECE = 1 << 18
_HEAD = 1_024
_OUTPUT_END = 2_000
_LONGEST_COMMAND = 500


class Reader(Protocol):
    """Reads a piece of a transcript; the factory knows how many messages came before it."""

    def __call__(
        self, stream: BinaryIO, *, factory: MessageFactory
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages."""


@dataclass(slots=True)
class Watermark:
    """How far a transcript has been read, and the place of the next message in each session."""

    path: Path
    offset: int = 0
    head: str = ""
    next_seq: dict[str, int] = field(default_factory=dict)
    # The piece that is being read, and by which process.
    begun: list[int] = field(default_factory=list)

    @classmethod
    def load(cls, folder: Path, transcript: Path, namespace: str) -> Watermark:
        """Read the watermark of a transcript; an unreadable one is at the beginning."""
        name = short_hash(f"{transcript.absolute()}\x1f{namespace}")
        mark = cls(folder / f"{name}.transcript.json")
        value = read_json(mark.path)
        offset, head, places = value.get("offset"), value.get("head"), value.get("next_seq")
        if isinstance(offset, int) and isinstance(head, str) and isinstance(places, dict):
            mark.offset, mark.head = offset, head
            begun = value.get("begun")
            mark.begun = begun if isinstance(begun, list) else []
            mark.next_seq = {
                str(name): place for name, place in places.items() if isinstance(place, int)
            }
        return mark

    def check(self, stream: BinaryIO, size: int) -> None:
        """Start anew where the file is not the one that was read, or was cut."""
        if self.offset > size or self.head != _head(stream, self.offset):
            self.offset, self.head, self.next_seq = 0, "", {}

    def begin(self) -> bool:
        """Note that the next piece is being read; tell whether a hook that is no more began it.

        That one ran out of its time, and so would this one if it took as much.
        """
        before, self.begun = self.begun, [self.offset, os.getpid()]
        self.save()
        return before[:1] == [self.offset] and not is_running(before[-1])

    def save(self) -> None:
        """Write it down."""
        value = {"offset": self.offset, "head": self.head, "next_seq": self.next_seq}
        write_json(self.path, {**value, "begun": self.begun})


def spool_transcript(
    transcript: Path,
    *,
    read: Reader,
    state_folder: Path,
    spool: Spool,
    namespace: str,
    at: datetime,
    is_late: Callable[[], bool],
) -> list[ToolCall]:
    """Spool what a transcript has gained; return the calls of tools that it tells of.

    What doesn't fit the time is left for the next turn.
    """
    mark = Watermark.load(state_folder, transcript, namespace)
    calls: list[ToolCall] = []
    try:
        with transcript.open("rb") as stream:
            size = stream.seek(0, io.SEEK_END)
            mark.check(stream, size)
            factory = MessageFactory(mark.next_seq)
            calls = factory.calls
            while mark.offset < size and not is_late():
                piece = _whole_lines(stream, mark.offset)
                if not piece:
                    break
                was_begun = mark.begin()
                messages = [
                    item
                    for item in read(io.BytesIO(piece), factory=factory)
                    if isinstance(item, ParsedMessage)
                ]
                with _no_second_look() if was_begun else nullcontext():
                    _spool(spool, messages, namespace, transcript.name, at)
                mark.offset += len(piece)
                mark.head = _head(stream, mark.offset)
                mark.next_seq = factory.next_seq
                mark.save()
    except OSError as error:
        raise InputError(
            f"the transcript cannot be read ({error.strerror or error}); nothing was lost; "
            "the next turn tries again"
        ) from None
    return calls


def spool_sent(
    messages: Iterable[SentMessage],
    *,
    session_id: str,
    source: str,
    spool: Spool,
    namespace: str,
    at: datetime,
) -> None:
    """Spool messages that came in the event; their ids tell the journal which it has."""
    factory = MessageFactory()
    parsed = []
    for message in messages:
        try:
            role, occurred_at = read_role(message.role), read_time(message.occurred_at)
        except Unreadable:
            continue
        if content := clean(message.text):
            parsed.append(
                factory.message(
                    session_id=session_id,
                    role=role,
                    content=content,
                    occurred_at=occurred_at,
                    source_id=message.message_id or None,
                )
            )
    _spool(spool, parsed, namespace, source, at)


def spool_corrections(
    calls: Iterable[ToolCall],
    *,
    state: SessionState,
    spool: Spool,
    namespace: str,
    actor: str,
    session_id: str,
    at: datetime,
) -> None:
    """Spool what calls of tools teach: each a candidate for a memory."""
    safe = [_redacted(call, namespace) for call in calls if call.command or not call.is_failure]
    events: list[journal.Event] = [
        write_event(
            one.text,
            namespace=namespace,
            kind="correction",
            actor=actor,
            method="inferred",
            at=at,
            recorded_at=at,
            origin=Origin(session_id=session_id, message_id=one.message_id),
        )[0]
        for one in corrections(safe, state.failures)
    ]
    if events:
        spool.write(events)
    state.save()


def _redacted(call: ToolCall, namespace: str) -> ToolCall:
    """Return a call as it may be kept: of a long output its two ends, a script not at all."""
    output = call.output
    if len(output) > 2 * _OUTPUT_END:
        output = f"{output[:_OUTPUT_END]}\n{output[-_OUTPUT_END:]}"
    return replace(
        call,
        command=safe_text(call.command) if len(call.command) <= _LONGEST_COMMAND else "",
        output=safe_text(output),
        message_id=call.message_id and ids.message_id(namespace, call.message_id),
    )


def _spool(
    spool: Spool, messages: Iterable[ParsedMessage], namespace: str, source: str, at: datetime
) -> None:
    events: list[journal.Event] = []
    for message in messages:
        safe = message_event(message, namespace=namespace, source=source, default_time=at)
        if safe.event is not None:
            events.append(safe.event)
    if events:
        spool.write(events)


def _no_second_look() -> AbstractContextManager[None]:
    return redaction_until(time.monotonic() - 1)


def _whole_lines(stream: BinaryIO, offset: int) -> bytes:
    """Return lines from an offset on; the last one, if it is still being written, stays."""
    stream.seek(offset)
    piece = b""
    while more := stream.read(_PIECE):
        piece += more
        if (end := piece.rfind(b"\n")) >= 0:
            return piece[: end + 1]
        if len(piece) > MAX_BYTES:
            # Longer than any line that is read: pass over it bit by bit.
            return piece
    return b""


def _head(stream: BinaryIO, offset: int) -> str:
    """Return a hash of the beginning, by which a file that was replaced is told apart."""
    stream.seek(0)
    return short_hash(stream.read(min(offset, _HEAD)).decode("latin-1"))
