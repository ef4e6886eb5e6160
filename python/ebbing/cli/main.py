"""The group of all commands, and how errors leave it."""

from __future__ import annotations

import logging
from typing import Any

import click

from ebbing import __version__
from ebbing.errors import EbbingError


class Ebbing(click.Group):
    """Turns an error that a user can cure into one line and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an `EbbingError` prints itself."""
        try:
            return super().invoke(ctx)
        except EbbingError as error:
            raise _Failure(error) from None


class _Failure(click.ClickException):
    """An error as click prints it: one line, on standard error."""

    def __init__(self, error: EbbingError) -> None:
        super().__init__(" ".join(str(error).split()))
        self.exit_code = error.exit_code  # type: ignore[misc]


@click.group(cls=Ebbing, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ebbing")
def main() -> None:
    """Long-term memory for AI agents: a dbt project over DuckDB.

    A session log goes in; facts, preferences, skills and corrections come out, are recalled by
    meaning, grow with use and fade without it. `ebbing COMMAND --help` explains a command.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)


def _register() -> None:
    # After `main` exists, since each module adds its commands to it.
    from ebbing.cli import (
        benching,
        explaining,
        extracting,
        hooking,
        keeping,
        learning,
        reading,
        serving,
        writing,
    )

    modules = (
        writing,
        reading,
        explaining,
        learning,
        extracting,
        keeping,
        serving,
        hooking,
        benching,
    )
    for module in modules:
        for command in module.COMMANDS:
            main.add_command(command)


_register()
