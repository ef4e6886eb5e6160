"""Gemini CLI: its files, its hooks under names of its own, and its transcripts.

A transcript is a `session-*.jsonl` file: a line for each message, written again when its calls of
tools have ended. What the program itself says in the user's name, and what hooks gave, is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ebbing.agents.agent import Agent, text_of
from ebbing.ingest.content import read_content, tool_call_text
from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, read_id, read_time
from ebbing.ingest.lines import read_lines
from ebbing.safety import text

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

_GIVEN = re.compile(r"<(hook_context|session_context)>.*?(?:</\1>|\Z)\s*", re.DOTALL)
_EVENTS = {"SessionStart": "SessionStart", "UserPromptSubmit": "BeforeAgent"}


class Gemini(Agent):
    """Gemini CLI."""

    name = "gemini"
    program = "gemini"
    tried = "0.61.0"

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the settings, which hold the server and the hooks."""
        from ebbing.agents.files import Entry, SharedFile

        folder = (setup.root if setup.scope == "project" else Path.home()) / ".gemini"
        events = {
            "SessionStart": "session-start",
            "BeforeAgent": "user-prompt",
            "AfterAgent": "stop",
            "SessionEnd": "session-end",
        }
        hooks = [setup.hook_group(event, hook, per_second=1_000) for event, hook in events.items()]
        server = Entry(("mcpServers", "ebbing"), setup.server_parts())
        return (SharedFile(folder / "settings.json", (server, *hooks)),)

    def is_sender(self, payload: Mapping[str, object]) -> bool:
        """Tell its events by their names, or by the transcript's place."""
        transcript = text_of(payload, "transcript_path").replace("\\", "/")
        return (
            payload.get("hook_event_name") in ("BeforeAgent", "AfterAgent")
            or "/.gemini/" in transcript
        )

    def prompt(self, payload: Mapping[str, object]) -> str:
        """Return what the user has typed, without what the session's start gave."""
        return _GIVEN.sub("", text_of(payload, "prompt"))

    def answer(self, event: str, block: str) -> str:
        """Return what a hook prints to put a block into the session."""
        output = {"hookEventName": _EVENTS[event], "additionalContext": block}
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False) + "\n"

    def read_transcript(
        self, stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages of a `session-*.jsonl` file."""
        return read_gemini(stream, session_id=session_id, factory=factory)


def is_gemini_line(item: Mapping[str, object]) -> bool:
    """Tell whether a line is one of such a file."""
    return "projectHash" in item or (item.get("type") == "gemini" and "content" in item)


def read_gemini(
    stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for lines before the one that names the session.

    `factory` goes on where it was when another part of the same file was read.
    """
    messages = factory or MessageFactory()
    session, is_subagent = session_id, False

    def read_object(item: dict[str, object]) -> Iterator[ParsedMessage]:
        nonlocal session, is_subagent
        if "projectHash" in item:
            session = read_id(item.get("sessionId")) or session
            is_subagent = item.get("kind") == "subagent"
        role = {"user": "user", "gemini": "assistant"}.get(str(item.get("type")))
        if role is None or is_subagent:
            return
        at, source = read_time(item.get("timestamp")), read_id(item.get("id"))

        def message(role: str, content: str, place: int) -> ParsedMessage:
            return messages.message(
                session_id=session,
                role=role,
                content=content,
                occurred_at=at,
                source_id=source and f"{source}#{place}",
                is_unique=True,
            )

        said = read_content(item.get("content") or "")
        if said := text.clean(_GIVEN.sub("", said) if role == "user" else said):
            yield message(role, said, 0)
        for place, call in enumerate(objects(item.get("toolCalls")), 1):
            yield message("tool", tool_call_text(call.get("name"), call.get("args")), 2 * place)
            outcome, said_of_it = responses(call.get("result")), None
            if outcome:
                said_of_it = message("tool", outcome, 2 * place + 1)
                yield said_of_it
            messages.asked(call.get("id"), call.get("name"), call.get("args"))
            messages.answered(
                call.get("id"),
                outcome,
                is_failure=call.get("status") == "error",
                message_id=said_of_it.message_id if said_of_it else None,
            )

    return read_lines(stream, read_object)


def objects(value: object) -> list[dict[str, object]]:
    """Return the objects in a list; none where it is no list."""
    return [one for one in (value if isinstance(value, list) else ()) if isinstance(one, dict)]


def responses(parts: object) -> str:
    """Return the texts of the function responses among some parts, as Gemini's API has them."""
    found = []
    for part in objects(parts):
        answered = part.get("functionResponse")
        response = answered.get("response") if isinstance(answered, dict) else None
        if isinstance(response, dict):
            found.append(text_of(response, "output", "error"))
    return text.clean(_GIVEN.sub("", "\n".join(found)))
