"""The shapes of the files that an agent is set up in, and what they are told."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

SCOPES = ("project", "user")

# Seconds; each is above what the hook allows itself.
_TIMEOUTS = {
    "session-start": 10,
    "user-prompt": 10,
    "stop": 10,
    "session-end": 5,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """What is ours in a file: a value at a path, or a group of hooks in the list at a path.

    `is_default` is for what such a file must hold and may hold already, whoever put it there.
    """

    path: tuple[str, ...]
    value: object
    is_hook: bool = False
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A JSON, JSONC or TOML file that others write to as well."""

    path: Path
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours alone."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text that others write to as well, and a line of ours in it."""

    path: Path
    line: str


AgentFile = SharedFile | OwnFile | TextFile


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

    def server_parts(self) -> dict[str, object]:
        """Return the command of the MCP server apart from its arguments."""
        command, *arguments = self.server()
        return {"command": command, "args": arguments}

    def hook(self, hook: str) -> str:
        """Return the command of a hook, for a shell."""
        words = [*self.command, "hook", hook, *self.hook_options()]
        return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)

    def hook_options(self) -> list[str]:
        """Return what each hook is told."""
        return ["--agent", self.agent, *self._where()]

    def hook_group(self, event: str, hook: str, *, per_second: int = 1) -> Entry:
        """Return the entry of a hook at an event, as Claude Code has it.

        `per_second` is how an agent counts its limits.
        """
        entry: dict[str, object] = {
            "type": "command",
            "command": self.hook(hook),
            "timeout": _TIMEOUTS[hook] * per_second,
        }
        return Entry(("hooks", event), {"hooks": [entry]}, is_hook=True)

    def _where(self) -> list[str]:
        store = [] if self.store is None else ["--store", str(self.store.absolute())]
        return ["--namespace", self.namespace, *store]


def own_command() -> tuple[str, ...]:
    """Return how this installation is called: by its short name where a shell finds it."""
    beside = shutil.which("ebbing", path=str(Path(sys.executable).parent))
    found = shutil.which("ebbing")
    if found and (beside is None or os.path.realpath(found) == os.path.realpath(beside)):
        return ("ebbing",)
    return (beside,) if beside else (sys.executable, "-P", "-m", "ebbing")


def folder_from(variable: str, otherwise: Path) -> Path:
    """Return the folder that a variable of the environment names, else another."""
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else otherwise


def shipped(name: str) -> str:
    """Return a text that is installed with ebbing."""
    return files("ebbing.agents").joinpath(name).read_text("utf-8")
