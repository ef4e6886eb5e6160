"""What the agents send to a hook, read into one shape.

They send one object with `session_id`, `transcript_path`, `cwd`, `hook_event_name` and, by event,
`prompt` or `source`; `agent_id` where a subagent is meant. Where one differs, its file in
`ebbing.agents` says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ebbing.agents.agent import Agent, SentMessage, text_of
from ebbing.agents.registry import find_agent, recognise
from ebbing.errors import InputError
from ebbing.ingest.items import ToolCall
from ebbing.safety.text import repaired_id

_SESSION_IDS = ("session_id", "conversation_id", "thread-id", "sessionID")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """One event of a session; texts are as the agent sent them, not yet redacted."""

    agent: str
    sender: Agent
    session_id: str
    folder: Path
    transcript: Path | None = None
    source: str = ""
    prompt: str = ""
    is_subagent: bool = False
    messages: tuple[SentMessage, ...] = ()
    calls: tuple[ToolCall, ...] = ()


def read_event(data: bytes, *, agent: str | None = None) -> HookEvent:
    """Read an event; where no `agent` is named, it is recognised from what was sent."""
    payload = _object(data)
    sender = find_agent(agent) if agent else recognise(payload)
    transcript = text_of(payload, "transcript_path")
    return HookEvent(
        agent=sender.name,
        sender=sender,
        session_id=repaired_id(text_of(payload, *_SESSION_IDS)) or "session",
        folder=Path(sender.folder(payload)),
        transcript=Path(transcript).expanduser() if transcript else None,
        source=text_of(payload, "source"),
        prompt=sender.prompt(payload),
        is_subagent=bool(text_of(payload, "agent_id")),
        messages=sender.messages(payload),
        calls=sender.calls(payload),
    )


def _object(data: bytes) -> dict[str, object]:
    try:
        payload = json.loads(data.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise InputError(
            "the event on standard input is not JSON; nothing was done; the session goes on"
        ) from None
    if not isinstance(payload, dict):
        raise InputError("the event is no JSON object; nothing was done; the session goes on")
    return payload
