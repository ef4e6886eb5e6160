"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from ebbing.agents.namespaces import resolve_namespace
from ebbing.cli.output import note
from ebbing.clock import format_time, parse_time
from ebbing.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

_ZONE = re.compile(r"(?:z|utc|gmt|[+-]\d\d:?\d\d)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


class TimeType(click.ParamType[datetime]):
    """A moment; one without a zone is taken as UTC, and that is said."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Parse ISO 8601, seconds since 1970, and usual written forms."""
        if isinstance(value, datetime):
            return value
        try:
            moment = parse_time(value)
        except InputError as error:
            self.fail(str(error), param, ctx)
        if not _ZONE.search(value) and not _NUMBER.fullmatch(value.strip()):
            note(f"{value} names no time zone and is taken as UTC: {format_time(moment)}")
        return moment


TIME = TimeType()


def store_option(command: Command) -> Command:
    """Where the store is."""
    return click.option(
        "--store",
        "path",
        type=click.Path(path_type=Path),
        envvar="EBBING_HOME",
        help="Folder of the store. [default: EBBING_HOME, else the user's data folder]",
    )(command)


GIVEN = "ebbing.namespace"
"""Where a command finds the namespace as it was given, `auto` perhaps."""


def resolved_namespace(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Replace `auto` by the namespace of the folder that the command is run in."""
    if isinstance(value, tuple):
        return tuple(resolve_namespace(name) for name in value)
    ctx.meta[GIVEN] = value
    return resolve_namespace(value)


def namespace_option(command: Command) -> Command:
    """The scope."""
    return click.option(
        "--namespace",
        "-n",
        default="default",
        envvar="EBBING_NAMESPACE",
        show_default=True,
        callback=resolved_namespace,
        help="Scope of the memory; `auto` is that of the project folder.",
    )(command)


memory_id = click.argument("memory_id", metavar="ID")

words_only = click.option("--words-only", is_flag=True, help="Compare words alone; loads no model.")

as_of_option = click.option(
    "--as-of", type=TIME, help="Answer as of this moment in the past; strengthens nothing."
)


def at_option(name: str, what: str) -> Callable[[Command], Command]:
    """A moment, now unless said."""
    return click.option(name, "at", type=TIME, help=f"{what} [default: now]")


def top_k(default: int, what: str) -> Callable[[Command], Command]:
    """How many at most."""
    return click.option("--k", "top_k", default=default, show_default=True, help=f"Most {what}.")
