"""Recognises the format of a log from its beginning."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ebbing.errors import InputError
from ebbing.ingest.content import Unreadable
from ebbing.ingest.json_values import load

FORMATS = ("json-lines", "chat-completions", "claude-code", "codex", "locomo")
"""The names that `read_messages` and `ebbing ingest --format` know."""

HEAD_BYTES = 1 << 18
"""How much of a file is looked at."""

_LOCOMO = re.compile(rb'\[?\s*\{\s*"(?:qa|conversation|sample_id|event_summary|observation)"\s*:')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_CLAUDE_CODE_KEYS = {"parentUuid", "sessionId", "leafUuid", "isSidechain", "messageId"}
_CLAUDE_CODE_TYPES = {"user", "assistant", "summary", "system", "progress"}
_CODEX_TYPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
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
    found: str | None
    if not start:
        found = "json-lines"
    elif _LOCOMO.match(start):
        found = "locomo"
    elif start.startswith(b"["):
        found = "chat-completions"
    else:
        found = _by_lines(start)
    if found is None:
        raise InputError(
            f"{name or 'The input'} is not a session log of a known format; nothing was read; "
            f"name its format: {', '.join(FORMATS)}"
        )
    return found


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
    if isinstance(item.get("messages"), list):
        return "chat-completions"
    if item.get("type") in _CODEX_TYPES and "payload" in item:
        return "codex"
    if item.keys() & _CLAUDE_CODE_KEYS and "type" in item:
        return "claude-code"
    if item.get("type") in _CLAUDE_CODE_TYPES and ("message" in item or "summary" in item):
        return "claude-code"
    if "content" in item or "role" in item:
        return "json-lines"
    return None
