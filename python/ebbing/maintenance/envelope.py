"""What an export says of itself, so that one that was cut short is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.journal.events import Event

# The store's own settings stay with it; which model it uses is decided by the one that imports.
TRANSFERRED = tuple(event_type for event_type in journal.EVENT_TYPES if not event_type.is_own)

MANIFEST = "export.json"
_HEADER = "ebbing_export"
_FOOTER = "ebbing_export_end"
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Contents:
    """How many events of each table an export holds."""

    events: Mapping[str, int]

    @property
    def total(self) -> int:
        """All events."""
        return sum(self.events.values())


@dataclass(frozen=True, slots=True)
class Envelope:
    """The first or last line of an export; `digest` is that of all lines between, at its end."""

    contents: Contents
    is_end: bool
    digest: str | None


def contents(connection: duckdb.DuckDBPyConnection) -> Contents:
    """Count what an export of this journal holds."""
    counts = {}
    for event_type in TRANSFERRED:
        row = connection.execute(f"select count(*) from journal.{event_type.table}").fetchone()
        counts[event_type.table] = row[0] if row else 0
    return Contents(counts)


def header(held: Contents) -> bytes:
    """Return the first line."""
    return _line({_HEADER: _VERSION, "events": dict(held.events)})


def footer(held: Contents, digest: str) -> bytes:
    """Return the last line; without it an export was cut short."""
    return _line({_FOOTER: _VERSION, "events": dict(held.events), "sha256": digest})


def manifest(held: Contents, digests: Mapping[str, str]) -> dict[str, object]:
    """Return what a folder of Parquet files is to hold."""
    return {_HEADER: _VERSION, "events": dict(held.events), "sha256": dict(digests)}


def read_envelope(line: bytes) -> Envelope | None:
    """Return what a line says of its export, or None for any other line."""
    if not line.startswith((f'{{"{_HEADER}"'.encode(), f'{{"{_FOOTER}"'.encode())):
        return None
    try:
        values = json.loads(line)
        events = {str(table): int(count) for table, count in values["events"].items()}
        return Envelope(Contents(events), _FOOTER in values, values.get("sha256"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read_manifest(path: Path) -> tuple[Contents, Mapping[str, str]]:
    """Return what a folder of Parquet files says that it holds; a ValueError if it is damaged."""
    try:
        values = json.loads(path.read_text("utf-8"))
        return Contents(dict(values["events"])), dict(values["sha256"])
    except (KeyError, TypeError) as error:
        raise ValueError(error) from None


def missing(said: Contents, found: Mapping[str, int]) -> str | None:
    """Say which of the events that there should be are not, or None."""
    lacking = [
        f"{table} {count - found.get(table, 0):,} of {count:,}"
        for table, count in said.events.items()
        if count > found.get(table, 0)
    ]
    if not lacking:
        return None
    total = sum(max(count - found.get(table, 0), 0) for table, count in said.events.items())
    return f"{total:,} of {said.total:,} events are missing ({', '.join(lacking)})"


def partial_name(path: Path) -> Path:
    """Return under which name an export is written before it is complete."""
    return path.with_name(path.name + ".partial")


def batches(
    event_type: type[Event], rows: duckdb.DuckDBPyConnection, size: int
) -> Iterator[list[Event]]:
    """Yield the events of a result whose columns are those of `columns`."""
    names = [item.name for item in fields(event_type)]
    while batch := rows.fetchmany(size):
        yield [event_type(**dict(zip(names, row, strict=True))) for row in batch]


def columns(event_type: type[Event]) -> str:
    """Return the columns of an event's table, for a select."""
    return ", ".join(item.name for item in fields(event_type))


def quoted(path: Path) -> str:
    """Return a path for a statement that takes no bound parameter for it."""
    return str(path).replace("'", "''")


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _line(values: Mapping[str, object]) -> bytes:
    return json.dumps(values).encode("utf-8") + b"\n"
