"""OpenCode: a server, and a plugin of ours that plays the hooks it hasn't.

The plugin sends the events of Claude Code with `agent: opencode`, and at `stop` the session's
messages, as there is no transcript file; it takes a block as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.agent import Agent, SentMessage, text_of

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup


class OpenCode(Agent):
    """OpenCode."""

    name = "opencode"
    says_end = False

    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the server's file and the plugin."""
        from ebbing.agents.files import Entry, OwnFile, SharedFile, folder_from, shipped

        if setup.scope == "project":
            folder, plugins = setup.root, setup.root / ".opencode" / "plugins"
        else:
            folder = folder_from("XDG_CONFIG_HOME", Path.home() / ".config") / "opencode"
            plugins = folder / "plugins"
        config = folder / "opencode.jsonc"
        if not config.exists():
            config = folder / "opencode.json"
        server = {"type": "local", "command": setup.server(), "enabled": True}
        plugin = shipped("opencode_plugin.js")
        plugin = plugin.replace("__COMMAND__", json.dumps(list(setup.command)))
        plugin = plugin.replace("__OPTIONS__", json.dumps(setup.hook_options(), ensure_ascii=False))
        return (
            SharedFile(config, (Entry(("mcp", "ebbing"), server),)),
            OwnFile(plugins / "ebbing.js", plugin),
        )

    def messages(self, payload: Mapping[str, object]) -> tuple[SentMessage, ...]:
        """Return the messages that the plugin sends at a stop."""
        sent = payload.get("messages")
        return tuple(
            SentMessage(
                message_id=text_of(item, "id"),
                role=text_of(item, "role"),
                text=text_of(item, "text"),
                occurred_at=time
                if isinstance(time := item.get("time"), str | int | float)
                else None,
            )
            for item in (sent if isinstance(sent, list) else ())
            if isinstance(item, dict)
        )

    def answer(self, event: str, block: str) -> str:
        """Return the block as it is."""
        return block + "\n"
