"""How a command is declared: what it does with the facade, and how its result is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from ebbing.cli.options import namespace_option, store_option
from ebbing.cli.output import as_json, note, say, table

Columns = Mapping[str, str | Callable[[Any], object]]
"""Headings, and what stands under each: an attribute by its name, or what a function makes."""


def command(
    name: str | None = None,
    *,
    shown: Callable[[Any], str] | str,
    is_scoped: bool = True,
    is_well: Callable[[Any], bool] = lambda result: True,
    group: click.Group | None = None,
) -> Callable[[Callable[..., object]], click.Command]:
    """Make a command of a function that takes the facade and its own options.

    What it returns is printed, by `shown` for people or as JSON with `--json`; where `is_well`
    says no, the exit code is 1. A facade is made without reading anything, of the store and, if
    `is_scoped`, of the namespace that the command is given.
    """

    def declare(function: Callable[..., object]) -> click.Command:
        @wraps(function)
        def run(path: Path | None, as_json_: bool, **options: Any) -> None:
            # Late, as DuckDB comes with it.
            from ebbing.memory import Memory

            scope = {"namespace": options.pop("namespace")} if is_scoped else {}
            result = function(Memory(path, **scope), **options)
            if as_json_:
                say(as_json(result))
            elif text := shown.format(done=result) if isinstance(shown, str) else shown(result):
                say(text)
            if not is_well(result):
                raise click.exceptions.Exit(1)

        json_option = click.option(
            "--json", "as_json_", is_flag=True, help="Print JSON instead of text."
        )
        decorated: Callable[..., Any] = json_option(run)
        if is_scoped:
            decorated = namespace_option(decorated)
        return (group.command if group else click.command)(name)(store_option(decorated))

    return declare


def rows(columns: Columns, items: Iterable[object]) -> str:
    """Return items as a table."""
    cells = [attrgetter(one) if isinstance(one, str) else one for one in columns.values()]
    return table(tuple(columns), ([cell(item) for cell in cells] for item in items))


def listed(columns: Columns, *, empty: str) -> Callable[[Any], str]:
    """Show a list as a table; where it is empty, say why beside the result."""

    def shown(items: Any) -> str:
        if items:
            return rows(columns, items)
        note(empty)
        return ""

    return shown


def joined(*parts: str) -> str:
    """Return the parts that say something, one under the other."""
    return "\n".join(part for part in parts if part)
