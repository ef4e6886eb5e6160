"""How results are printed: tables and lines for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import click

from ebbing.clock import format_time


def as_json(value: object) -> str:
    """Return a result as one JSON document; times as ISO 8601 with Z."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=2)


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
    """Return rows in columns; the last column may be long and is not padded."""
    cells = [list(headings), *([show(value) for value in row] for row in rows)]
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


def note(message: str) -> None:
    """Say something beside the result, where it does not disturb a pipe."""
    click.echo(message, err=True)


def _width(text: str) -> int:
    # East Asian wide characters take two columns.
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return format_time(value)
    return value
