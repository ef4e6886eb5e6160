"""One store, one model, five programs: each has a session, the store is maintained, each has more.

A program's first session says what is to be remembered; what its later ones are given is what the
tests look at.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock

from ebbing import Memory
from real_agents import programs
from real_agents.model_server import Asked, Call, ModelServer, Say, Step
from real_agents.programs import Place

# Before anything of ebbing reads it: the model that costs nothing is for tests alone.
os.environ["EBBING_TESTING"] = "1"

SAID = "We deploy {name} with the script release.sh. I prefer tabs over spaces."
ASKED = "Which script do we deploy {name} with?"
SHELL = "Bash|bash|exec_command|run_shell_command"
REMEMBER = r"(?:mcp__ebbing(?:__|/)|(?:mcp_)?ebbing_+|)remember"


def shell(command: str) -> Call:
    """A command of a shell, whatever the tool calls it."""
    return Call(SHELL, {"command": command, "cmd": command, "description": "d"})


FIRST: tuple[Step, ...] = (shell("mkdir a/b/c"), shell("mkdir -p a/b/c"), Say("Done."))

RUN: dict[str, Callable[..., str]] = {
    "claude-code": programs.claude,
    "codex": programs.codex,
    "opencode": programs.opencode,
    "gemini": programs.gemini,
    "qwen": programs.qwen,
}
COMMANDS = {name: name for name in RUN} | {"claude-code": "claude"}
USER_SCOPE = ("codex",)


@dataclass
class Played:
    """A program, where it ran, and what its model was asked, session by session."""

    name: str
    place: Place
    asked: dict[str, list[Asked]] = field(default_factory=dict)

    def run(self, session: str, prompt: str, *arguments: str, steps: tuple[Step, ...]) -> None:
        """Run one session of the program."""
        self.place.model.script(*steps)
        RUN[self.name](self.place, prompt.format(name=self.name), *arguments)
        self.asked[session] = list(self.place.model.asked)

    def turns(self, session: str) -> list[Asked]:
        """The requests of a session's conversation."""
        return [one for one in self.asked[session] if one.tools]


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("agents") / "store"
    Memory.create(folder)
    (folder / "hooks").mkdir()
    # No maintenance in the background beside the one that the tests ask for.
    with FileLock(folder / "hooks" / "maintenance.lock"):
        yield folder


@pytest.fixture(scope="session")
def began(
    tmp_path_factory: pytest.TempPathFactory, store: Path, model: ModelServer
) -> dict[str, Played]:
    """Every program after its first session and a maintenance."""
    played = {
        name: Played(name, _place(tmp_path_factory.mktemp(name), store, model))
        for name in RUN
        if programs.program(COMMANDS[name]).exists()
    }
    for name, one in played.items():
        scope = "user" if name in USER_SCOPE else "project"
        one.place.ebbing("init", "--agent", name, "--scope", scope, "--yes")
        one.run("first", SAID, steps=FIRST)
    Memory(store).maintain()
    return played


@pytest.fixture(params=RUN)
def agent(request: pytest.FixtureRequest, began: dict[str, Played]) -> Played:
    return found(began, request.param)


@pytest.fixture
def asked_later(agent: Played) -> Played:
    """A program after a second session too."""
    if "second" not in agent.asked:
        agent.run("second", ASKED, steps=(shell("true"), Say("With release.sh.")))
    return agent


def found(began: dict[str, Played], name: str) -> Played:
    """Return a program that is installed, or skip the test."""
    if name not in began:
        pytest.skip(f"{name} is not installed")
    return began[name]


def _place(base: Path, store: Path, model: ModelServer) -> Place:
    home = base / "home"
    project = home / "app"
    project.mkdir(parents=True)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for arguments in (("init", "-q"), (*identity, "commit", "-qm", base.name, "--allow-empty")):
        subprocess.run(["git", "-C", str(project), *arguments], check=True)
    for folder, kind in ((".gemini", "gemini-api-key"), (".qwen", "openai")):
        settings = {
            "security": {"auth": {"selectedType": kind}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        (home / folder).mkdir()
        (home / folder / "settings.json").write_text(json.dumps(settings))
    (home / ".codex").mkdir()
    trusted = f'[projects."{project}"]\ntrust_level = "trusted"\n'
    (home / ".codex" / "config.toml").write_text(trusted)
    return Place(home, project, store, model)
