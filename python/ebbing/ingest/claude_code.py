"""Claude Code transcripts: the `*.jsonl` files that the agent keeps of each session.

What a person or the assistant said becomes a message; tool calls and their results become
messages of the role `tool`. Thinking, side chains, summaries and what the program itself wrote
into the conversation (commands, reminders, interruptions) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO

from ebbing import text
from ebbing.ingest.content import Unreadable, read_content, tool_call_text
from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, read_id, read_time
from ebbing.ingest.lines import read_lines

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_WRITTEN_BY_PROGRAM = re.compile(
    r"<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)"
    r"|bash-(?:input|stdout|stderr)|task-notification|user-memory-input)>"
    r"|\[Request interrupted by user"
)


def read_claude_code(
    stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines that name no session.

    `factory` goes on where it was when another part of the same file was read.
    """
    factory = factory or MessageFactory()

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        role = item.get("type")
        if not isinstance(role, str):
            raise Unreadable("no type")
        if role not in ("user", "assistant") or any(item.get(flag) for flag in _NOT_SAID):
            return
        message = item.get("message")
        if not isinstance(message, dict):
            raise Unreadable("no message")
        session = read_id(item.get("sessionId")) or session_id
        at: datetime | None = read_time(item.get("timestamp"))
        uuid = read_id(item.get("uuid"))
        for place, (said_as, content) in enumerate(_passages(role, message.get("content"))):
            yield factory.message(
                session_id=session,
                role=said_as,
                content=content,
                occurred_at=at,
                source_id=uuid if place == 0 or uuid is None else f"{uuid}#{place}",
            )

    return read_lines(stream, read_object)


def _passages(role: str, content: object) -> Iterator[tuple[str, str]]:
    """Yield (role, text) for each run of text and each tool block, in their order."""
    blocks = content if isinstance(content, list) else [content]
    said: list[str] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("tool_use", "tool_result"):
            yield from _said(role, said)
            said = []
            if passage := _tool_passage(block):
                yield "tool", passage
        elif isinstance(block, str) or kind == "text":
            said.append(read_content([block]))
        elif not isinstance(block, dict):
            raise Unreadable("no content")
    yield from _said(role, said)


def _said(role: str, parts: list[str]) -> Iterator[tuple[str, str]]:
    if role == "user":
        parts = [part for part in (_REMINDER.sub("", part) for part in parts) if _by_person(part)]
    if said := text.clean("\n".join(parts)):
        yield role, said


def _by_person(part: str) -> bool:
    return not _WRITTEN_BY_PROGRAM.match(part.lstrip())


def _tool_passage(block: dict[str, object]) -> str:
    if block.get("type") == "tool_use":
        return tool_call_text(block.get("name"), block.get("input"))
    result = block.get("content")
    return "" if result is None else read_content(result)
