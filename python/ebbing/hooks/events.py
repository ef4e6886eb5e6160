"""What the agents send to a hook, read into one shape.

They send one object with `session_id`, `transcript_path`, `cwd`, `hook_event_name` and, by event,
`prompt`, `source`, `tool_name`, `tool_input`, `tool_response` or `error`. Where one differs, its
file in `ebbing.agents` says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ebbing.agents.agent import Agent, SentMessage, text_of
from ebbing.agents.registry import find_agent, recognise
from ebbing.errors import InputError
from ebbing.safety.text import clean, repaired_id

_EXIT_CODE = re.compile(r"(?:exit(?:ed with)? code|exit status|exited with code):?\s*(-?\d+)", re.I)
_EXIT_KEYS = ("exit_code", "exitCode", "exit", "returncode")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """One call of a tool and how it went."""

    call_id: str
    tool: str
    request: str
    target: str
    is_failure: bool
    is_interrupt: bool
    error: str


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
    tool: ToolResult | None = None
    messages: tuple[SentMessage, ...] = ()


def read_event(data: bytes, *, agent: str | None = None) -> HookEvent:
    """Read an event; where no `agent` is named, it is recognised from what was sent."""
    payload = _object(data)
    sender = find_agent(agent) if agent else recognise(payload)
    folder = text_of(payload, "cwd") or "."
    transcript = text_of(payload, "transcript_path")
    return HookEvent(
        agent=sender.name,
        sender=sender,
        session_id=repaired_id(text_of(payload, "session_id", "thread-id", "sessionID"))
        or "session",
        folder=Path(folder),
        transcript=Path(transcript).expanduser() if transcript else None,
        source=text_of(payload, "source"),
        prompt=text_of(payload, "prompt"),
        tool=_tool(payload),
        messages=sender.messages(payload),
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


def _tool(payload: Mapping[str, object]) -> ToolResult | None:
    tool = clean(text_of(payload, "tool_name"))
    if not tool:
        return None
    response = payload.get("tool_response", payload.get("tool_output"))
    error = text_of(payload, "error")
    is_failure = (
        payload.get("hook_event_name") == "PostToolUseFailure"
        or bool(error)
        or _says_failure(response)
    )
    request = payload.get("tool_input")
    return ToolResult(
        call_id=text_of(payload, "tool_use_id", "call_id"),
        tool=tool,
        request=_request(request),
        target=_target(request),
        is_failure=is_failure,
        is_interrupt=payload.get("is_interrupt") is True,
        error=error or (_response_text(response) if is_failure else ""),
    )


def _says_failure(response: object) -> bool:
    if isinstance(response, str):
        # Codex heads a command's output with its exit code.
        found = _EXIT_CODE.search(response[:300])
        return found is not None and found[1] != "0"
    if not isinstance(response, dict):
        return False
    if response.get("interrupted") is True:
        return False
    if response.get("isError") is True or response.get("is_error") is True:
        return True
    if response.get("success") is False:
        return True
    codes = [response.get(key) for key in _EXIT_KEYS]
    if isinstance(metadata := response.get("metadata"), dict):
        codes += [metadata.get(key) for key in _EXIT_KEYS]
    return any(isinstance(code, int) and code != 0 for code in codes)


def _response_text(response: object) -> str:
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        for key in ("stderr", "error", "output", "stdout", "content", "text"):
            value = response.get(key)
            if isinstance(value, str) and value.strip():
                return value
    return "" if response is None else json.dumps(response, ensure_ascii=False)


def _request(request: object) -> str:
    """Return what a tool was asked, short, as a person would say it."""
    if isinstance(request, dict):
        command = request.get("command")
        if isinstance(command, list):
            command = " ".join(str(word) for word in command)
        if isinstance(command, str):
            return command
        for key in ("file_path", "filePath", "path", "url", "query", "pattern"):
            if isinstance(value := request.get(key), str):
                return value
    if isinstance(request, str):
        return request
    return "" if request is None else json.dumps(request, ensure_ascii=False)


def _target(request: object) -> str:
    """Return what two calls must share for one to be another attempt at the same thing."""
    if not isinstance(request, dict):
        return ""
    if isinstance(request.get("command"), str | list):
        return _program(_request(request))
    for key in ("file_path", "filePath", "path", "url"):
        if isinstance(value := request.get(key), str):
            return value
    return ""


def _program(command: str) -> str:
    """Return the program of the last command in a line: `npm` in `cd app && CI=1 npm test`."""
    last = re.split(r"&&|\|\||;|\n", command.strip())[-1]
    for word in last.split():
        if not re.fullmatch(r"\w+=\S*", word) and word not in ("sudo", "env", "time"):
            return word.rpartition("/")[2]
    return ""
