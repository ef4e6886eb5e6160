"""Qwen Code: its files, the hooks of Claude Code, and its transcripts.

It grew out of Gemini CLI, so a transcript's lines have the names of Claude Code and the parts of
Gemini's API. What hooks gave stands in parts of their own after what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ebbing.agents.agent import Agent, text_of
from ebbing.agents.gemini import objects, responses
from ebbing.ingest.content import tool_call_text
from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, read_id, read_time
from ebbing.ingest.lines import read_lines
from ebbing.safety import text

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

# The program writes what a hook gave as it would stand in a page.
_GIVEN = re.compile(r"\s*(?:<|&lt;)ebbing-memories\b")
_ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool"}


class Qwen(Agent):
    """Qwen Code."""

    name = "qwen"
    program = "qwen"
    tried = "0.15.10"
    # Where nobody sits before it, it tells neither of a start nor of an end.
    says_start = False
    says_end = False

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the settings, which hold the server and the hooks."""
        from ebbing.agents.files import Entry, SharedFile

        folder = (setup.root if setup.scope == "project" else Path.home()) / ".qwen"
        events = {
            "SessionStart": "session-start",
            "UserPromptSubmit": "user-prompt",
            "Stop": "stop",
            "SessionEnd": "session-end",
        }
        hooks = [setup.hook_group(event, hook, per_second=1_000) for event, hook in events.items()]
        server = Entry(("mcpServers", "ebbing"), setup.server_parts())
        return (SharedFile(folder / "settings.json", (server, *hooks)),)

    def is_sender(self, payload: Mapping[str, object]) -> bool:
        """Tell its events by the transcript's place."""
        return "/.qwen/" in text_of(payload, "transcript_path").replace("\\", "/")

    def read_transcript(
        self, stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages of a transcript."""
        return read_qwen(stream, session_id=session_id, factory=factory)


def is_qwen_line(item: Mapping[str, object]) -> bool:
    """Tell whether a line is one of such a file."""
    message = item.get("message")
    return "sessionId" in item and isinstance(message, dict) and "parts" in message


def read_qwen(
    stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines that name no session.

    `factory` goes on where it was when another part of the same file was read.
    """
    messages = factory or MessageFactory()

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        role = _ROLES.get(str(item.get("type")))
        message = item.get("message")
        if role is None or not isinstance(message, dict) or item.get("isSidechain"):
            return
        parts = objects(message.get("parts"))
        calls = [call for part in parts if isinstance(call := part.get("functionCall"), dict)]
        uuid = read_id(item.get("uuid"))
        contents = [responses(parts)] if role == "tool" else [_said(parts)]
        contents += [tool_call_text(call.get("name"), call.get("args")) for call in calls]
        said = None
        for place, content in enumerate(contents):
            if content:
                said = messages.message(
                    session_id=read_id(item.get("sessionId")) or session_id,
                    role="tool" if place else role,
                    content=content,
                    occurred_at=read_time(item.get("timestamp")),
                    source_id=uuid and f"{uuid}#{place}",
                    is_unique=True,
                )
                yield said
        for call in calls:
            messages.asked(call.get("id"), call.get("name"), call.get("args"))
        result = item.get("toolCallResult")
        if role == "tool" and isinstance(result, dict):
            messages.answered(
                result.get("callId"),
                contents[0],
                is_failure=result.get("status") == "error",
                message_id=said.message_id if said else None,
            )

    return read_lines(stream, read_object)


def _said(parts: list[dict[str, object]]) -> str:
    texts = (text_of(part, "text") for part in parts if not part.get("thought"))
    return text.clean("\n".join(said for said in texts if not _GIVEN.match(said)))
