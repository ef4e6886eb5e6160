"""The group of all commands, and how errors leave it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, cast

import click

from ebbing import __version__
from ebbing.cli.border import run_to_exit_code
from ebbing.cli.output import OneLine
from ebbing.errors import EbbingError

# Each command and the module that it is in, which is loaded when the command is asked for.
_MODULES = {
    "init": "writing",
    "ingest": "writing",
    "remember": "writing",
    "forget": "writing",
    "restore": "writing",
    "pin": "writing",
    "unpin": "writing",
    "recall": "reading",
    "context": "reading",
    "list": "reading",
    "history": "reading",
    "status": "reading",
    "correct": "explaining",
    "unmerge": "explaining",
    "purge": "explaining",
    "why": "explaining",
    "why-not": "explaining",
    "replay": "explaining",
    "tune": "explaining",
    "task": "learning",
    "extract": "extracting",
    "maintain": "keeping",
    "reembed": "keeping",
    "erase": "keeping",
    "export": "keeping",
    "import": "keeping",
    "backup": "keeping",
    "doctor": "keeping",
    "remote": "sharing",
    "sync": "sharing",
    "mcp": "serving",
    "hook": "hooking",
}


class _Commands(Mapping[str, click.Command]):
    """The commands by name; each is loaded when it is looked at."""

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"ebbing.cli.{_MODULES[name]}")
        attribute = name.replace("-", "_")
        # `import` and `list` are words of Python's own.
        found = getattr(module, attribute, None) or getattr(module, f"{attribute}_")
        return cast(click.Command, found)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


class Ebbing(click.Group):
    """Turns an error that a user can cure into one line and its exit code."""

    def __init__(self, **settings: Any) -> None:
        """Know the commands by name alone."""
        super().__init__(**settings)
        self.commands = _Commands()  # type: ignore[assignment]

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run the command line; whatever ends it ends in one line and an exit code."""
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        sys.exit(run_to_exit_code(lambda: run(*args, standalone_mode=False, **extra)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an `EbbingError` prints itself."""
        try:
            return super().invoke(ctx)
        except EbbingError as error:
            raise _Failure(error) from None


class _Failure(click.ClickException):
    """An error as click prints it: one line, on standard error."""

    def __init__(self, error: EbbingError) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code  # type: ignore[misc]


@click.group(cls=Ebbing, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ebbing")
def main() -> None:
    """Long-term memory for AI agents: a dbt project over DuckDB.

    A session log goes in; facts, preferences, skills and corrections come out, are recalled by
    meaning, grow with use and fade without it. `ebbing COMMAND --help` explains a command.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
