"""Setting up agents from the command line: show the difference, ask, write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ebbing.agents.config import AGENTS, SCOPES, Setup, default_scope, own_command
from ebbing.agents.namespaces import AUTOMATIC, project_namespace, project_root
from ebbing.agents.setup import apply_plan, plan_setup
from ebbing.cli.output import note
from ebbing.text import clean_namespace

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
    scope = choices.scope or default_scope(choices.agent)
    root = project_root()
    namespace = choices.agent_namespace or (
        project_namespace(root) if scope == "project" else AUTOMATIC
    )
    setup = Setup(
        agent=choices.agent,
        scope=scope,
        root=root,
        namespace=clean_namespace(namespace),
        command=own_command(),
        store=path,
    )
    plan = plan_setup(setup, store_folder=store_folder, remove=choices.remove)
    for problem in plan.problems:
        note(problem)
    for change in plan.changes:
        click.echo(change.difference(), nl=False)
    if plan.changes:
        if not choices.yes:
            click.confirm("Change these files?", abort=True)
        apply_plan(plan)
        click.echo(f"{choices.agent} is {'as it was' if choices.remove else 'set up'}.")
    elif not plan.problems:
        click.echo("Nothing to change.")
    if plan.problems:
        raise click.exceptions.Exit(2)
