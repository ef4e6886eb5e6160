"""Cursor: a server, and a rule that tells the model to use it; it has no hooks."""

from __future__ import annotations

from pathlib import Path

from ebbing.agents.agent import Agent
from ebbing.agents.files import AgentFile, Entry, OwnFile, Setup, SharedFile, shipped


class Cursor(Agent):
    """Cursor."""

    name = "cursor"
    has_hooks = False

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the server's file, and for a project the rule."""
        folder = (setup.root if setup.scope == "project" else Path.home()) / ".cursor"
        server = SharedFile(
            folder / "mcp.json", (Entry(("mcpServers", "ebbing"), setup.server_parts()),)
        )
        if setup.scope == "user":
            # A user's own rules are kept in the program's settings, not in a file.
            return (server,)
        return (server, OwnFile(folder / "rules" / "ebbing.mdc", shipped("cursor_rule.mdc")))
