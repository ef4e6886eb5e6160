"""What each agent is given, and in which of its files."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ebbing.errors import InputError

AGENTS = ("claude-code", "codex", "opencode", "cursor")
SCOPES = ("project", "user")

# Claude Code and Codex count in seconds. Each is above what the hook allows itself.
_TIMEOUTS = {
    "session-start": 10,
    "user-prompt": 10,
    "tool-result": 10,
    "stop": 10,
    "session-end": 5,
}


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a JSON file: `value` under `key` in the object at `path`."""

    path: tuple[str, ...]
    key: str
    value: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class HookGroup:
    """An entry in the list of an event's hooks, which is at `path`."""

    path: tuple[str, ...]
    value: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A JSON or JSONC file that others write to as well."""

    path: Path
    members: tuple[Member, ...] = ()
    hooks: tuple[HookGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML file that others write to as well, and the table that is ours."""

    path: Path
    table: tuple[str, ...]
    values: Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours alone."""

    path: Path
    text: str


AgentFile = JsonFile | TomlFile | OwnFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Which agent, for whom, and what its hooks and its server are told.

    `namespace` is a name, or `auto` for that of the folder that the agent works in.
    """

    agent: str
    scope: str
    root: Path
    namespace: str
    command: tuple[str, ...]
    store: Path | None = None

    def server(self) -> list[str]:
        """Return the command of the MCP server."""
        return [*self.command, "mcp", *self._where()]

    def hook(self, hook: str) -> str:
        """Return the command of a hook, for a shell."""
        words = [*self.command, "hook", hook, "--agent", self.agent, *self._where()]
        return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)

    def hook_options(self) -> list[str]:
        """Return what each hook is told."""
        return ["--agent", self.agent, *self._where()]

    def _where(self) -> list[str]:
        store = [] if self.store is None else ["--store", str(self.store.absolute())]
        return ["--namespace", self.namespace, *store]


def default_scope(agent: str) -> str:
    """Return where an agent is set up unless said: Codex keeps its settings with the user."""
    return "user" if agent == "codex" else "project"


def own_command() -> tuple[str, ...]:
    """Return how this installation is called: by its short name where a shell finds it."""
    beside = shutil.which("ebbing", path=str(Path(sys.executable).parent))
    found = shutil.which("ebbing")
    if found and (beside is None or os.path.realpath(found) == os.path.realpath(beside)):
        return ("ebbing",)
    return (beside,) if beside else (sys.executable, "-m", "ebbing")


def agent_files(setup: Setup) -> tuple[AgentFile, ...]:
    """Return the files that an agent is set up in, and what each is to hold."""
    match setup.agent:
        case "claude-code":
            return _claude_code(setup)
        case "codex":
            return _codex(setup)
        case "opencode":
            return _opencode(setup)
        case "cursor":
            return _cursor(setup)
        case _:
            raise InputError(
                f"{setup.agent!r} is no agent that can be set up; nothing was changed; "
                f"use one of {', '.join(AGENTS)}"
            )


def _claude_code(setup: Setup) -> tuple[AgentFile, ...]:
    server = {"type": "stdio", **_command_and_arguments(setup)}
    if setup.scope == "project":
        servers, settings = setup.root / ".mcp.json", setup.root / ".claude" / "settings.json"
    else:
        given = os.environ.get("CLAUDE_CONFIG_DIR")
        folder = Path(given).expanduser() if given else Path.home() / ".claude"
        servers = (folder if given else Path.home()) / ".claude.json"
        settings = folder / "settings.json"
    hooks = (
        _group(setup, "SessionStart", "session-start"),
        _group(setup, "UserPromptSubmit", "user-prompt"),
        _group(setup, "PostToolUse", "tool-result", matcher="*", in_background=True),
        _group(setup, "PostToolUseFailure", "tool-result", matcher="*", in_background=True),
        _group(setup, "Stop", "stop"),
        _group(setup, "SessionEnd", "session-end"),
    )
    return (
        JsonFile(servers, members=(Member(("mcpServers",), "ebbing", server),)),
        JsonFile(settings, hooks=hooks),
    )


def _codex(setup: Setup) -> tuple[AgentFile, ...]:
    if setup.scope == "project":
        folder = setup.root / ".codex"
    else:
        folder = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex").expanduser()
    command, *arguments = setup.server()
    hooks = (
        _group(setup, "SessionStart", "session-start"),
        _group(setup, "UserPromptSubmit", "user-prompt"),
        _group(setup, "PostToolUse", "tool-result"),
        _group(setup, "Stop", "stop"),
    )
    return (
        TomlFile(
            folder / "config.toml",
            ("mcp_servers", "ebbing"),
            {"command": command, "args": arguments},
        ),
        JsonFile(folder / "hooks.json", hooks=hooks),
    )


def _opencode(setup: Setup) -> tuple[AgentFile, ...]:
    if setup.scope == "project":
        folder, plugins = setup.root, setup.root / ".opencode" / "plugins"
    else:
        given = os.environ.get("XDG_CONFIG_HOME")
        folder = (Path(given).expanduser() if given else Path.home() / ".config") / "opencode"
        plugins = folder / "plugins"
    config = folder / "opencode.jsonc"
    if not config.exists():
        config = folder / "opencode.json"
    server = {"type": "local", "command": setup.server(), "enabled": True}
    plugin = _shipped("opencode_plugin.js")
    plugin = plugin.replace("__COMMAND__", json.dumps(list(setup.command)))
    plugin = plugin.replace("__OPTIONS__", json.dumps(setup.hook_options(), ensure_ascii=False))
    return (
        JsonFile(config, members=(Member(("mcp",), "ebbing", server),)),
        OwnFile(plugins / "ebbing.js", plugin),
    )


def _cursor(setup: Setup) -> tuple[AgentFile, ...]:
    folder = (setup.root if setup.scope == "project" else Path.home()) / ".cursor"
    server = _command_and_arguments(setup)
    file = JsonFile(folder / "mcp.json", members=(Member(("mcpServers",), "ebbing", server),))
    if setup.scope == "user":
        # A user's own rules are kept in the program's settings, not in a file.
        return (file,)
    return (file, OwnFile(folder / "rules" / "ebbing.mdc", _shipped("cursor_rule.mdc")))


def _command_and_arguments(setup: Setup) -> dict[str, object]:
    command, *arguments = setup.server()
    return {"command": command, "args": arguments}


def _group(
    setup: Setup,
    event: str,
    hook: str,
    *,
    matcher: str | None = None,
    in_background: bool = False,
) -> HookGroup:
    entry: dict[str, object] = {
        "type": "command",
        "command": setup.hook(hook),
        "timeout": _TIMEOUTS[hook],
    }
    if in_background:
        entry["async"] = True
    group: dict[str, object] = {} if matcher is None else {"matcher": matcher}
    return HookGroup(("hooks", event), {**group, "hooks": [entry]})


def _shipped(name: str) -> str:
    return files("ebbing.agents").joinpath(name).read_text("utf-8")
