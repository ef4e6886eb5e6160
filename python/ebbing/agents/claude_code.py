"""Claude Code: its files, its hooks, and its transcripts.

A transcript is a `*.jsonl` file for each session. What a person or the assistant said becomes a
message; tool calls and their results become messages of the role `tool`. Thinking, side chains,
summaries and what the program itself wrote into the conversation (commands, reminders,
interruptions) are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ebbing.agents.agent import Agent
from ebbing.ingest.content import Unreadable, read_content, tool_call_text
from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, read_id, read_time
from ebbing.ingest.lines import read_lines
from ebbing.safety import text

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_WRITTEN_BY_PROGRAM = re.compile(
    r"<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)"
    r"|bash-(?:input|stdout|stderr)|task-notification|user-memory-input)>"
    r"|\[Request interrupted by user"
)
_NOT_RUN = re.compile(r"\[Request interrupted|The user doesn't want to|<tool_use_error>")
_LINE_KEYS = {"parentUuid", "sessionId", "leafUuid", "isSidechain", "messageId"}
_LINE_TYPES = ("user", "assistant", "summary", "system", "progress")


class ClaudeCode(Agent):
    """Claude Code, whose hooks others have taken over."""

    name = "claude-code"
    program = "claude"
    tried = "2.1.197"

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the server's file and the settings with the hooks."""
        from ebbing.agents.files import Entry, SharedFile, folder_from

        if setup.scope == "project":
            servers, settings = setup.root / ".mcp.json", setup.root / ".claude" / "settings.json"
        else:
            folder = folder_from("CLAUDE_CONFIG_DIR", Path.home() / ".claude")
            servers = folder_from("CLAUDE_CONFIG_DIR", Path.home()) / ".claude.json"
            settings = folder / "settings.json"
        server = {"type": "stdio", **setup.server_parts()}
        hooks = (
            setup.hook_group("SessionStart", "session-start"),
            setup.hook_group("UserPromptSubmit", "user-prompt"),
            setup.hook_group("Stop", "stop"),
            setup.hook_group("SessionEnd", "session-end"),
        )
        return (
            SharedFile(servers, (Entry(("mcpServers", "ebbing"), server),)),
            SharedFile(settings, hooks),
        )

    def project_folder(self, folder: Path) -> Path | None:
        """Return none where the program says the project's: its own folder moves with each `cd`."""
        return None if os.environ.get("CLAUDE_PROJECT_DIR") else folder

    def read_transcript(
        self, stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages of a transcript."""
        return read_claude_code(stream, session_id=session_id, factory=factory)


def is_claude_code_line(item: Mapping[str, object]) -> bool:
    """Tell whether a line is one of such a file."""
    if item.keys() & _LINE_KEYS and "type" in item:
        return True
    return str(item.get("type")) in _LINE_TYPES and ("message" in item or "summary" in item)


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
        passages = _passages(role, message.get("content"))
        for place, (said_as, content, block) in enumerate(passages):
            said = None
            if content:
                said = factory.message(
                    session_id=session,
                    role=said_as,
                    content=content,
                    occurred_at=at,
                    source_id=uuid if place == 0 or uuid is None else f"{uuid}#{place}",
                    # A fork of a session begins with a copy of its lines.
                    is_unique=True,
                )
                yield said
            _note_call(factory, block, content, said.message_id if said else None)

    return read_lines(stream, read_object)


def _passages(role: str, content: object) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield (role, text, block) for each run of text and each tool block, in their order."""
    blocks = content if isinstance(content, list) else [content]
    said: list[str] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("tool_use", "tool_result"):
            yield from _said(role, said)
            said = []
            yield "tool", _tool_passage(block), block
        elif isinstance(block, str) or kind == "text":
            said.append(read_content([block]))
        elif not isinstance(block, dict):
            raise Unreadable("no content")
    yield from _said(role, said)


def _note_call(
    factory: MessageFactory, block: Mapping[str, object], content: str, message_id: str | None
) -> None:
    if block.get("type") == "tool_use":
        factory.asked(block.get("id"), block.get("name"), block.get("input"))
    elif block.get("type") == "tool_result":
        is_failure = block.get("is_error") is True and not _NOT_RUN.match(content)
        factory.answered(
            block.get("tool_use_id"), content, is_failure=is_failure, message_id=message_id
        )


def _said(role: str, parts: list[str]) -> Iterator[tuple[str, str, dict[str, object]]]:
    if role == "user":
        parts = [part for part in (_REMINDER.sub("", part) for part in parts) if _by_person(part)]
    if said := text.clean("\n".join(parts)):
        yield role, said, {}


def _by_person(part: str) -> bool:
    return not _WRITTEN_BY_PROGRAM.match(part.lstrip())


def _tool_passage(block: dict[str, object]) -> str:
    if block.get("type") == "tool_use":
        return tool_call_text(block.get("name"), block.get("input"))
    result = block.get("content")
    return "" if result is None else read_content(result)
