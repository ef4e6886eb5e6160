"""Agents that read `AGENTS.md` and have no hooks: a line there says when to use the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.agent import Agent

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup

_LINE = """\
Long-term memory: call ebbing's `context` at the start of a task, `remember` for what the user \
says that lasts, `correct` for what was wrong; no secrets."""


class AgentsMd(Agent):
    """Whatever agent reads `AGENTS.md`; where its servers are set up, its own pages say."""

    name = "agents-md"
    has_hooks = False

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the file with the line."""
        from ebbing.agents.files import TextFile

        folder = setup.root if setup.scope == "project" else Path.home() / ".agents"
        return (TextFile(folder / "AGENTS.md", _LINE),)
