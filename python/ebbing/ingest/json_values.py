"""Cuts a stream of JSON into its values without building what lies around them.

An array of a million messages is read one element at a time, and an element that isn't JSON
doesn't end the reading: a value reaches to its closing bracket whatever is inside. That is why
this is not a JSON parser such as ijson, which stops for good at the first broken byte.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import BinaryIO, cast

from ebbing.ingest.content import Unreadable

MAX_BYTES = 10_000_000
"""A line or an item longer than this is skipped."""

_CHUNK = 1 << 16
_DECODER = json.JSONDecoder(strict=False)
_NOT_SPACE = re.compile(rb"[^ \t\r\n]")
_STRUCTURE = re.compile(rb'["\[\]{}]')
_SCALAR_END = re.compile(rb"[,\]}\[{:\s\"]")
# Up to the closing quote, or to a backslash whose second half is in the next chunk.
_INSIDE_STRING = re.compile(rb'[^"\\]*+(?:\\[\s\S][^"\\]*+)*+')
_MAX_REPLACED_SHARE = 0.05


def load(raw: bytes) -> object:
    """Parse one value, repairing stray bytes; raises `Unreadable` with the reason."""
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError:
        decoded = raw.decode("utf-8", errors="replace")
        replaced = decoded.count("\ufffd") - raw.count(b"\xef\xbf\xbd")
        if replaced > max(4, _MAX_REPLACED_SHARE * len(decoded)):
            raise Unreadable("not UTF-8 text") from None
    try:
        return cast(object, _DECODER.decode(decoded))
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError:
        raise Unreadable("a number has too many digits") from None


def load_object(raw: bytes) -> dict[str, object]:
    """Parse one value that has to be an object."""
    value = load(raw)
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    return value


class JsonValues:
    """A cursor over a stream of JSON: look at the next byte, take it, or take a whole value."""

    def __init__(self, stream: BinaryIO) -> None:
        """Stand at the beginning of a stream; a byte order mark is passed over."""
        self._stream = stream
        self._buffer = b""
        self._at = 0
        self._started = False

    def peek(self) -> bytes:
        """Return the next byte that isn't white space, without taking it; empty at the end."""
        while True:
            found = _NOT_SPACE.search(self._buffer, self._at)
            self._at = found.start() if found else len(self._buffer)
            if found:
                return found.group()
            if not self._fill():
                return b""

    def take(self) -> bytes:
        """Take the next byte that isn't white space."""
        byte = self.peek()
        self._at += len(byte)
        return byte

    def value(self, *, limit: int = MAX_BYTES) -> bytes:
        """Take one whole value as it is written; `Unreadable` if too long or cut off."""
        if self.peek() not in (b'"', b"[", b"{"):
            return self._scalar()
        taken = bytearray()
        size, depth, quoted = 0, 0, False
        while True:
            start = self._at
            depth, quoted, ended = self._scan(depth, quoted)
            size += self._at - start
            if size <= limit:
                taken += self._buffer[start : self._at]
            else:
                taken.clear()
            if ended:
                break
            if not self._fill():
                self._at = len(self._buffer)
                raise Unreadable("the file ends in the middle of it")
        if size > limit:
            raise Unreadable(f"longer than {limit // 1_000_000} MB")
        return bytes(taken)

    def _scan(self, depth: int, quoted: bool) -> tuple[int, bool, bool]:
        """Move to the end of the value, or of the buffer; say how deep, if quoted, if ended."""
        buffer = self._buffer
        while True:
            if quoted:
                inside = _INSIDE_STRING.match(buffer, self._at)
                self._at = inside.end() if inside else self._at
                if buffer[self._at : self._at + 1] != b'"':
                    return depth, True, False
                self._at += 1
                quoted = False
                if depth == 0:
                    return depth, quoted, True
            found = _STRUCTURE.search(buffer, self._at)
            if not found:
                self._at = len(buffer)
                return depth, quoted, False
            self._at = found.end()
            byte = found.group()
            if byte == b'"':
                quoted = True
            elif byte in b"[{":
                depth += 1
            else:
                depth -= 1
                if depth == 0:
                    return depth, quoted, True

    def _scalar(self) -> bytes:
        """Take a number or a word, or one stray byte: always at least one, so reading goes on."""
        start = self._at
        found = _SCALAR_END.search(self._buffer, start + 1)
        while not found and len(self._buffer) - start < _CHUNK and self._fill():
            start = self._at
            found = _SCALAR_END.search(self._buffer, start + 1)
        self._at = found.start() if found else len(self._buffer)
        return self._buffer[start : self._at]

    def _fill(self) -> bool:
        """Read on, keeping what has not been taken yet; false at the end of the stream."""
        chunk = self._stream.read(_CHUNK)
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        if not chunk:
            return False
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return True
