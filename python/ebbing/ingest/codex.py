"""Codex transcripts: the `rollout-*.jsonl` files that the agent keeps of each session.

What a person or the assistant said becomes a message; calls of tools and their output become
messages of the role `tool`. Reasoning, events for the screen, and what the program itself wrote
in the user's name (instructions, the environment, shell commands) are left out.
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

_WRITTEN_BY_PROGRAM = re.compile(
    r"<(?:environment_context|user_instructions|turn_aborted|user_shell_command|skill"
    r"|subagent_notification|permissions instructions|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions"
)
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def read_codex(
    stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines before the one that names the session.

    `factory` goes on where it was when another part of the same file was read.
    """
    messages = factory or MessageFactory()
    session = session_id

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        nonlocal session
        payload = item.get("payload")
        if not isinstance(payload, dict):
            return
        if item.get("type") == "session_meta":
            session = read_id(payload.get("id")) or session
        if item.get("type") != "response_item":
            return
        at: datetime | None = read_time(item.get("timestamp"))
        if (passage := _passage(payload)) is not None:
            role, content = passage
            yield messages.message(session_id=session, role=role, content=content, occurred_at=at)

    return read_lines(stream, read_object)


def _passage(payload: dict[str, object]) -> tuple[str, str] | None:
    kind = payload.get("type")
    if kind == "message":
        role = payload.get("role")
        if role not in ("user", "assistant"):
            return None
        parts = payload.get("content")
        said = [read_content([part]) for part in (parts if isinstance(parts, list) else [parts])]
        if role == "user":
            said = [part for part in said if not _WRITTEN_BY_PROGRAM.match(part)]
        content = text.clean("\n".join(said))
        return (str(role), content) if content else None
    if isinstance(kind, str) and kind in _CALLS:
        content = tool_call_text(payload.get("name") or kind, payload.get(_CALLS[kind]))
        return ("tool", content) if content else None
    if kind in _OUTPUTS:
        content = _output(payload.get("output"))
        return ("tool", content) if content else None
    return None


def _output(output: object) -> str:
    if isinstance(output, dict):
        output = output.get("content", output.get("output"))
    if output is None:
        return ""
    try:
        return read_content(output)
    except Unreadable:
        return ""
