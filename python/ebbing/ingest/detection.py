"""Recognises the format of a log from its beginning."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ebbing.errors import InputError
from ebbing.ingest.content import Unreadable
from ebbing.ingest.formats import format_names, log_formats
from ebbing.ingest.json_values import load

HEAD_BYTES = 1 << 18
"""How much of a file is looked at."""

_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def detect_format(source: str | Path | bytes, *, name: str | None = None) -> str:
    """Return the format of a file, or of the first bytes of one.

    `name` is what an error calls the file. Raises `InputError` where no format fits.
    """
    if isinstance(source, bytes):
        head = source[:HEAD_BYTES]
    else:
        name = name or str(source)
        with open(source, "rb") as stream:
            head = stream.read(HEAD_BYTES)
    if head.startswith(_UTF_16):
        raise InputError(
            f"{name or 'The input'} is UTF-16 text; nothing was read; save it as UTF-8"
        )
    head = head.removeprefix(codecs.BOM_UTF8)
    start = head.lstrip()
    found = "json-lines" if not start else _by_start(start) or _by_lines(start)
    if found is None:
        raise InputError(
            f"{name or 'The input'} is not a session log of a known format; nothing was read; "
            f"name its format: {', '.join(format_names())}"
        )
    return found


def _by_start(head: bytes) -> str | None:
    return next((name for name, one in log_formats().items() if one.is_start(head)), None)


def _by_lines(head: bytes) -> str | None:
    """Decide by the first line that tells; broken ones before it don't matter."""
    lines = 0
    for line in head.splitlines():
        if not line.strip():
            continue
        lines += 1
        try:
            item = load(line)
        except Unreadable:
            continue
        if isinstance(item, dict) and (found := _by_keys(item)):
            return found
    if head.startswith(b"{") and _MESSAGES.search(head):
        return "chat-completions"
    # One long first line, cut off by the limit of what is looked at.
    if lines == 1 and head.startswith(b"{"):
        keys = {key.decode() for key in re.findall(rb'"(\w{1,40})"\s*:', head)}
        return _by_keys(dict.fromkeys(keys))
    return None


def _by_keys(item: dict[str, object]) -> str | None:
    return next((name for name, one in log_formats().items() if one.is_line(item)), None)
