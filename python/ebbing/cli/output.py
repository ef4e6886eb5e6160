"""How results are printed: tables and lines for people, JSON for programs.

All that the commands print goes through `say` and `note`, so that nothing that was stored can
command a terminal.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

import click

from ebbing.clock import format_time
from ebbing.plain import to_json
from ebbing.safety.display import visible, visible_line


def as_json(value: object) -> str:
    """Return a result as one JSON document; times as ISO 8601 with Z.

    Where the output can't hold all characters, they are written as JSON's escapes.
    """
    document = visible(to_json(value, indent=2))
    try:
        document.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return to_json(value, indent=2, is_ascii=True)
    return document


def show(value: object) -> str:
    """Return one value as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows in columns; the last column may be long and is not padded.

    A row stays on its line, whatever is in it.
    """
    cells = [list(headings), *([visible_line(show(value)) for value in row] for row in rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell if column == len(headings) - 1 else cell + " " * (widths[column] - _width(cell))
            for column, cell in enumerate(row)
        ).rstrip()
        for row in cells
    )


def bars(rows: Iterable[tuple[float, float, int]], *, width: int = 40) -> str:
    """Return a histogram with one line for each bucket that holds something or lies between."""
    counted = list(rows)
    filled = [place for place, (_, _, count) in enumerate(counted) if count]
    if not filled:
        return "  (nothing yet)"
    most = max(count for _, _, count in counted)
    return "\n".join(
        f"  {start:5.2f} to {end:4.2f}  {'#' * round(width * count / most):<{width}}  {count}"
        for start, end, count in counted[filled[0] : filled[-1] + 1]
    )


def say(message: str, *, end: str = "\n") -> None:
    """Print a result."""
    click.echo(visible(message) + end, nl=False)


def note(message: str) -> None:
    """Say something beside the result, where it does not disturb a pipe."""
    click.echo(visible(message), err=True)


class OneLine(logging.Formatter):
    """What is logged, on one line and without anything that commands a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's message alone."""
        return visible_line(record.getMessage())


def _width(text: str) -> int:
    # East Asian wide characters take two columns.
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
