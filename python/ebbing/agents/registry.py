"""The agents by name. Each is imported when it is asked for, as a hook knows whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from ebbing.agents.agent import Agent
from ebbing.errors import InputError

_CLASSES = {
    "claude-code": "ebbing.agents.claude_code:ClaudeCode",
    "codex": "ebbing.agents.codex:Codex",
    "opencode": "ebbing.agents.opencode:OpenCode",
    "cursor": "ebbing.agents.cursor:Cursor",
    "gemini": "ebbing.agents.gemini:Gemini",
    "qwen": "ebbing.agents.qwen:Qwen",
    "agents-md": "ebbing.agents.agents_md:AgentsMd",
}

AGENTS = tuple(_CLASSES)
"""Those that can be set up."""

HOOKED_AGENTS = ("claude-code", "codex", "opencode", "cursor", "gemini", "qwen")
"""Those that have hooks."""


def find_agent(name: str) -> Agent:
    """Return an agent by its name."""
    try:
        module, _, called = _CLASSES[name].partition(":")
    except KeyError:
        raise InputError(
            f"{name!r} is no agent that is known; nothing was changed; "
            f"use one of {', '.join(AGENTS)}"
        ) from None
    return cast(Agent, getattr(import_module(module), called)())


def recognise(payload: Mapping[str, object]) -> Agent:
    """Tell by its fields which agent an event is from; Claude Code's events bear no mark."""
    named = payload.get("agent")
    if isinstance(named, str) and named in HOOKED_AGENTS:
        return find_agent(named)
    for name in HOOKED_AGENTS:
        if (agent := find_agent(name)).is_sender(payload):
            return agent
    return find_agent("claude-code")
