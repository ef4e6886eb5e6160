"""Cursor: a server, a rule that tells the model to use it, and hooks under names of its own.

Its hooks can give a session something at its start alone, and tell what was said one message at a
time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.agent import Agent, SentMessage, text_of

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

_EVENTS = {
    "sessionStart": "session-start",
    "beforeSubmitPrompt": "stop",
    "afterAgentResponse": "stop",
    "sessionEnd": "session-end",
}


class Cursor(Agent):
    """Cursor."""

    name = "cursor"
    program = "cursor"
    tried = "none"
    says_end = False

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the server's file, that of the hooks, and for a project the rule."""
        from ebbing.agents.files import Entry, OwnFile, SharedFile, shipped

        folder = (setup.root if setup.scope == "project" else Path.home()) / ".cursor"
        server = Entry(("mcpServers", "ebbing"), setup.server_parts())
        hooks = [
            Entry(("hooks", event), {"command": setup.hook(hook)}, is_hook=True)
            for event, hook in _EVENTS.items()
        ]
        version = Entry(("version",), 1, is_default=True)
        files = (
            SharedFile(folder / "mcp.json", (server,)),
            SharedFile(folder / "hooks.json", (version, *hooks)),
        )
        if setup.scope == "user":
            # A user's own rules are kept in the program's settings, not in a file.
            return files
        return (*files, OwnFile(folder / "rules" / "ebbing.mdc", shipped("cursor_rule.mdc")))

    def is_sender(self, payload: Mapping[str, object]) -> bool:
        """Tell its events by a field that no other agent sends."""
        return "cursor_version" in payload

    def folder(self, payload: Mapping[str, object]) -> str:
        """Return the first folder that is open."""
        roots = payload.get("workspace_roots")
        named = [root for root in (roots if isinstance(roots, list) else ()) if root]
        return next((root for root in named if isinstance(root, str)), ".")

    def messages(self, payload: Mapping[str, object]) -> tuple[SentMessage, ...]:
        """Return what was typed or answered."""
        role, field = {
            "beforeSubmitPrompt": ("user", "prompt"),
            "afterAgentResponse": ("assistant", "text"),
        }.get(text_of(payload, "hook_event_name"), ("", ""))
        if not role:
            return ()
        turn = text_of(payload, "generation_id")
        said = text_of(payload, field)
        return (SentMessage(message_id=turn and f"{turn}#{role}", role=role, text=said),)

    def answer(self, event: str, block: str) -> str:
        """Return what a hook prints to put a block into the session."""
        return json.dumps({"additional_context": block}, ensure_ascii=False) + "\n"
