"""Setting up agents from the command line: show the difference, ask, write."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ebbing.agents.files import SCOPES, Setup, own_command
from ebbing.agents.namespaces import AUTOMATIC, project_root
from ebbing.agents.registry import AGENTS, find_agent
from ebbing.cli.output import note, say
from ebbing.safety.text import clean_namespace

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoices:
    """Which agent is to be set up, or undone, and how."""

    agent: str | None
    scope: str | None
    agent_namespace: str | None
    remove: bool
    yes: bool


def agent_options(command: Command) -> Command:
    """The options of `init` that concern an agent."""
    for option in (
        click.option("--yes", is_flag=True, help="Do not ask before an agent's files are changed."),
        click.option(
            "--remove", is_flag=True, help="Take out of the agent's files what was written there."
        ),
        click.option(
            "--namespace",
            "-n",
            "agent_namespace",
            help="Scope that the agent remembers in. [default: that of the project folder]",
        ),
        click.option(
            "--scope",
            type=click.Choice(SCOPES),
            help="This project's files, or the user's for all projects. [default: user for codex, "
            "else project]",
        ),
        click.option("--agent", type=click.Choice(AGENTS), help="Agent to set up."),
    ):
        command = option(command)
    return command


def set_up(choices: AgentChoices, *, path: Path | None, store_folder: Path) -> None:
    """Show what would change in the agent's files, ask, and change it."""
    if choices.agent is None:
        return
    scope = choices.scope or find_agent(choices.agent).default_scope
    root = project_root()
    is_shared = scope == "project"
    # Files of a project go to others too: what is in them holds on their machines.
    setup = Setup(
        agent=choices.agent,
        scope=scope,
        root=root,
        namespace=clean_namespace(choices.agent_namespace or AUTOMATIC),
        command=("ebbing",) if is_shared else own_command(),
        store=None if is_shared else path,
    )
    # Late, as it brings the parser of JSON with comments.
    from ebbing.agents.setup import apply_plan, plan_setup

    plan = plan_setup(setup, store_folder=store_folder, remove=choices.remove)
    for problem in plan.problems:
        note(problem)
    for change in plan.changes:
        say(change.difference(), end="")
    if plan.changes:
        if is_shared and not choices.remove:
            _say_what_is_not_in_files(path)
        if not choices.yes:
            click.confirm("Change these files?", abort=True)
        # These are the project's or the agent's own, and not secret as a store is.
        os.umask(0o022)
        apply_plan(plan)
        say(f"{choices.agent} is {'as it was' if choices.remove else 'set up'}.")
    elif not plan.problems:
        say("Nothing to change.")
    if plan.problems:
        raise click.exceptions.Exit(2)


def _say_what_is_not_in_files(path: Path | None) -> None:
    """Say what this machine needs beside the project's files, which name no place of it."""
    if path is not None:
        note(
            f"The files name no store; let EBBING_HOME be {path} where the agent is started, or "
            "use --scope user."
        )
    if shutil.which("ebbing") is None:
        note(
            f"No shell finds the command ebbing; put {Path(sys.executable).parent} on PATH, or "
            "use --scope user."
        )
