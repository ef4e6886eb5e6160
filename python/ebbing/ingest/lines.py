"""Reads JSON lines: one object a line, none of them longer than the limit."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from ebbing.ingest.content import Unreadable
from ebbing.ingest.items import BadLine, ParsedMessage
from ebbing.ingest.json_values import MAX_BYTES, load_object

ReadObject = Callable[[dict[str, object]], Iterable[ParsedMessage]]


def read_lines(stream: BinaryIO, read_object: ReadObject) -> Iterator[ParsedMessage | BadLine]:
    """Give each line's object to `read_object`; lines that can't be read become `BadLine`s."""
    number = 0
    while line := stream.readline(MAX_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) > MAX_BYTES and not line.endswith(b"\n"):
            del line
            _skip_to_next_line(stream)
            yield BadLine(number, f"longer than {MAX_BYTES // 1_000_000} MB")
        elif not line.isspace() and line:
            yield from guarded(number, line, read_object)


def guarded(number: int, raw: bytes, read_object: ReadObject) -> Iterator[ParsedMessage | BadLine]:
    """Parse and read one object; whatever is wrong with it is said and goes no further."""
    try:
        item = load_object(raw)
    except Unreadable as reason:
        yield BadLine(number, str(reason))
    else:
        yield from guarded_object(number, item, read_object)


def guarded_object(
    number: int, item: dict[str, object], read_object: ReadObject
) -> Iterator[ParsedMessage | BadLine]:
    """Read one object; whatever is wrong with it is said in one line and goes no further."""
    try:
        # A list, so that half of a line is never yielded before its fault is found.
        messages = list(read_object(item))
    except Unreadable as reason:
        yield BadLine(number, str(reason))
    except RecursionError:
        yield BadLine(number, "nested too deeply")
    else:
        yield from messages


def _skip_to_next_line(stream: BinaryIO) -> None:
    while (chunk := stream.readline(1 << 16)) and not chunk.endswith(b"\n"):
        pass
