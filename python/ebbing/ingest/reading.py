"""Opens the reader that a file needs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from ebbing.errors import InputError
from ebbing.ingest.detection import HEAD_BYTES, detect_format
from ebbing.ingest.formats import format_names, log_formats
from ebbing.ingest.items import BadLine, ParsedMessage
from ebbing.safety import text


def read_messages(
    stream: BinaryIO, *, name: str, format: str | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages of an open log, in its order.

    `name` is the file's name; without its suffix it names sessions that have no id of their own.
    Without a `format` it is recognised from the beginning of the stream, which needn't be
    seekable. Raises `InputError` at once where the format is unknown.
    """
    if format is None:
        stream, head = _peeked(stream)
        format = detect_format(head, name=name)
    session_id = text.clean(PurePath(name).stem) or "session"
    found = log_formats().get(format)
    if found is None:
        raise InputError(
            f"{format!r} is not a log format; nothing was read; "
            f"use one of {', '.join(format_names())}"
        )
    return found.read(stream, session_id=session_id)


def _peeked(stream: BinaryIO) -> tuple[BinaryIO, bytes]:
    """Return a stream that still has its beginning, and the beginning."""
    head = b""
    while len(head) < HEAD_BYTES and (chunk := stream.read(HEAD_BYTES - len(head))):
        head += chunk
    return io.BufferedReader(_Rejoined(head, stream)), head


class _Rejoined(io.RawIOBase):
    """A stream with the bytes that were read from it put back in front."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._head:
            data, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        else:
            data = self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
