"""Codex: its files, its hooks and older `notify`, and its transcripts.

Its hooks are those of Claude Code. `notify` passes one object of the type `agent-turn-complete` as
an argument. A transcript is a `rollout-*.jsonl` file: what a person
or the assistant said becomes a message; calls of tools and their output become messages of the
role `tool`. Reasoning, events for the screen, and what the program itself wrote in the user's name
(instructions, the environment, shell commands) are left out, and so is all of a subagent's: there
another agent speaks in the user's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ebbing.agents.agent import Agent, SentMessage, text_of
from ebbing.ingest.content import Unreadable, read_content, tool_call_text
from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, read_id, read_time
from ebbing.ingest.lines import read_lines
from ebbing.safety import text

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

_WRITTEN_BY_PROGRAM = re.compile(
    r"<(?:environment_context|user_instructions|turn_aborted|user_shell_command|skill"
    r"|subagent_notification|permissions instructions|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions"
)
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_LINE_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


class Codex(Agent):
    """Codex."""

    name = "codex"
    program = "codex"
    tried = "0.171.0"
    # It reads the settings of projects only where the user trusts them.
    default_scope = "user"

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the server's file and that of the hooks."""
        from ebbing.agents.files import Entry, SharedFile, folder_from

        folder = setup.root / ".codex"
        if setup.scope == "user":
            folder = folder_from("CODEX_HOME", Path.home() / ".codex")
        server = Entry(("mcp_servers", "ebbing"), setup.server_parts())
        hooks = (
            setup.hook_group("SessionStart", "session-start"),
            setup.hook_group("UserPromptSubmit", "user-prompt"),
            setup.hook_group("Stop", "stop"),
            setup.hook_group("SessionEnd", "session-end"),
        )
        return (
            SharedFile(folder / "config.toml", (server,)),
            SharedFile(folder / "hooks.json", hooks),
        )

    def is_sender(self, payload: Mapping[str, object]) -> bool:
        """Tell its events by `notify`, by the turn's id, or by the transcript's name."""
        transcript = text_of(payload, "transcript_path").replace("\\", "/")
        return (
            payload.get("type") == "agent-turn-complete"
            or "turn_id" in payload
            or "/.codex/" in transcript
            or transcript.rpartition("/")[2].startswith("rollout-")
        )

    def messages(self, payload: Mapping[str, object]) -> tuple[SentMessage, ...]:
        """Return the turn that `notify` tells of."""
        if payload.get("type") != "agent-turn-complete":
            return ()
        asked = payload.get("input-messages")
        texts = [("user", one) for one in (asked if isinstance(asked, list) else ())]
        texts.append(("assistant", payload.get("last-assistant-message")))
        turn = text_of(payload, "turn-id")
        return tuple(
            SentMessage(message_id=f"{turn}#{place}" if turn else "", role=role, text=said)
            for place, (role, said) in enumerate(texts)
            if isinstance(said, str)
        )

    def read_transcript(
        self, stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages of a `rollout-*.jsonl` file."""
        return read_codex(stream, session_id=session_id, factory=factory)


def is_codex_line(item: Mapping[str, object]) -> bool:
    """Tell whether a line is one of such a file."""
    return str(item.get("type")) in _LINE_TYPES and "payload" in item


def read_codex(
    stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines before the one that names the session.

    `factory` goes on where it was when another part of the same file was read.
    """
    messages = factory or MessageFactory()
    session, is_subagent = session_id, False

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        nonlocal session, is_subagent
        payload = item.get("payload")
        if not isinstance(payload, dict):
            return
        if item.get("type") == "session_meta":
            session = read_id(payload.get("id")) or session
            is_subagent = payload.get("thread_source") == "subagent"
        if item.get("type") != "response_item" or is_subagent:
            return
        at: datetime | None = read_time(item.get("timestamp"))
        said = None
        if (passage := _passage(payload)) is not None:
            role, content = passage
            said = messages.message(
                session_id=session,
                role=role,
                content=content,
                occurred_at=at,
                source_id=text_of(payload, "id") or None,
                # A fork of a session begins with a copy of its items.
                is_unique=True,
            )
            yield said
        kind = str(payload.get("type"))
        if kind in _CALLS:
            messages.asked(
                payload.get("call_id"), payload.get("name") or kind, payload.get(_CALLS[kind])
            )
        elif kind in _OUTPUTS:
            output = _output(payload.get("output"))
            messages.answered(
                payload.get("call_id"), output, message_id=said.message_id if said else None
            )

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
    if str(kind) in _OUTPUTS:
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
