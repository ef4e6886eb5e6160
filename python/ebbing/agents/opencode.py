"""OpenCode: a server, and a plugin of ours that plays the hooks it hasn't.

The plugin sends the events of Claude Code with `agent: opencode`, and at `stop` the session's
messages and calls of tools, as there is no transcript file; it takes a block as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.agent import Agent, SentMessage, text_of

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup
    from ebbing.ingest.items import ToolCall

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"', re.DOTALL)


class OpenCode(Agent):
    """OpenCode."""

    name = "opencode"
    program = "opencode"
    tried = "1.18.33"
    says_start = False
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

    def prompt(self, payload: Mapping[str, object]) -> str:
        """Return what the user has typed."""
        return unquoted(text_of(payload, "prompt"))

    def calls(self, payload: Mapping[str, object]) -> tuple[ToolCall, ...]:
        """Return the calls of tools that the plugin sends at a stop."""
        from ebbing.ingest.items import MessageFactory

        factory = MessageFactory()
        for item in _objects(payload.get("calls")):
            factory.asked(item.get("id"), item.get("tool"), item.get("input"))
            factory.answered(
                item.get("id"), text_of(item, "output"), is_failure=item.get("is_failure") is True
            )
        return tuple(factory.calls)

    def messages(self, payload: Mapping[str, object]) -> tuple[SentMessage, ...]:
        """Return the messages that the plugin sends at a stop."""
        return tuple(
            SentMessage(
                message_id=text_of(item, "id"),
                role=text_of(item, "role"),
                text=unquoted(text_of(item, "text")),
                occurred_at=time
                if isinstance(time := item.get("time"), str | int | float)
                else None,
            )
            for item in _objects(payload.get("messages"))
        )

    def answer(self, event: str, block: str) -> str:
        """Return the block as it is."""
        return block + "\n"


def unquoted(text: str) -> str:
    """Return a message without the quotes that `opencode run` puts around its argument."""
    found = _QUOTED.fullmatch(text)
    return found[1].replace('\\"', '"') if found else text


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict)]
