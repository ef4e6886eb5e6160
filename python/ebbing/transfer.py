"""Export and import: the journal as JSON lines or as a folder of Parquet files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.errors import InputError, StoreReadOnly
from ebbing.journal import Event
from ebbing.model import recorded_model_or_none
from ebbing.store import Store

_BATCH = 1_000

# The store's own settings stay with it; which model it uses is decided by the one that imports.
_TRANSFERRED = tuple(
    event_type for event_type in journal.EVENT_TYPES if event_type is not journal.StoreSetting
)


@dataclass(frozen=True, slots=True)
class Exported:
    """How many events went where."""

    events: int
    path: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the events of an export: the journal had some of them, some lines were bad."""

    read: int
    added: int
    bad_lines: tuple[tuple[int, str], ...]


def export(store: Store, path: Path, *, format: str, at: datetime) -> Exported:
    """Write the journal to a new file or folder that only the user can read.

    The journal keeps in mind where the copy went, so that an erasure can look for it.
    """
    if format == "json-lines":
        events = _export_json_lines(store, path)
    elif format == "parquet":
        events = _export_parquet(store, path)
    else:
        raise InputError(
            f"{format!r} is no format; nothing was exported; use json-lines or parquet"
        )
    store.append(
        [
            journal.Run(
                run_kind="export",
                outcome="done",
                detail=str(path.absolute()),
                occurred_at=at,
                recorded_at=at,
            )
        ]
    )
    return Exported(events=events, path=str(path))


def _export_json_lines(store: Store, path: Path) -> int:
    """Write every event as one line, each table in the order in which its events came."""
    count = 0
    with _new(path), store.read() as connection, open(path, "xb", opener=_private) as stream:
        for event in _events(connection):
            stream.write(journal.to_json(event).encode("utf-8") + b"\n")
            count += 1
    return count


def _export_parquet(store: Store, folder: Path) -> int:
    """Write one Parquet file for each table of the journal into a new folder."""
    with _new(folder):
        folder.mkdir(mode=0o700, parents=True)
    count = 0
    with store.read() as connection:
        for event_type in _TRANSFERRED:
            target = folder / f"{event_type.table}.parquet"
            copied = connection.execute(
                f"copy (select {_columns(event_type)} from journal.{event_type.table} "
                f"order by event_sequence) to '{_quoted(target)}' (format parquet)"
            ).fetchone()
            count += copied[0] if copied else 0
    return count


def import_path(store: Store, path: Path) -> Imported:
    """Read an export into a store; events that the journal has are not added again."""
    if path.is_dir():
        batches = _parquet_batches(path)
    elif path.is_file():
        batches = _json_batches(path)
    else:
        raise InputError(
            f"{path} is not there; nothing was imported; give a file or folder that "
            "`ebbing export` wrote"
        )
    store.create()
    with store.read() as connection:
        takes_model = recorded_model_or_none(connection) is None
    read = added = 0
    bad: list[tuple[int, str]] = []
    for events, faults in batches:
        bad.extend(faults)
        read += len(events)
        wanted = [
            event
            for event in events
            if takes_model or not isinstance(event, journal.EmbeddingModel)
        ]
        added += store.append(wanted).inserted
    return Imported(read=read, added=added, bad_lines=tuple(bad))


_Batch = tuple[list[Event], list[tuple[int, str]]]


def _json_batches(path: Path) -> Iterator[_Batch]:
    events: list[Event] = []
    faults: list[tuple[int, str]] = []
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                event = journal.from_json(line.decode("utf-8"))
            except ValueError as error:
                faults.append((number, " ".join(str(error).split())[:200]))
                continue
            if not isinstance(event, journal.StoreSetting):
                events.append(event)
            if len(events) >= _BATCH:
                yield events, faults
                events, faults = [], []
    yield events, faults


def _parquet_batches(folder: Path) -> Iterator[_Batch]:
    with contextlib.closing(duckdb.connect()) as connection:
        for event_type in _TRANSFERRED:
            file = folder / f"{event_type.table}.parquet"
            if not file.is_file():
                raise InputError(
                    f"{folder} holds no {file.name}; nothing more was imported; "
                    "give a folder that `ebbing export` wrote"
                )
            try:
                rows = connection.execute(
                    f"select {_columns(event_type)} from read_parquet('{_quoted(file)}')"
                )
                for events in _batches(event_type, rows):
                    yield events, []
            except duckdb.Error as error:
                raise InputError(
                    f"{file} cannot be read ({' '.join(str(error).split())[:200]}); what was read "
                    "before it is imported; give a folder that `ebbing export` wrote"
                ) from None


def _events(connection: duckdb.DuckDBPyConnection) -> Iterator[Event]:
    for event_type in _TRANSFERRED:
        rows = connection.execute(
            f"select {_columns(event_type)} from journal.{event_type.table} order by event_sequence"
        )
        for events in _batches(event_type, rows):
            yield from events


def _batches(event_type: type[Event], rows: duckdb.DuckDBPyConnection) -> Iterator[list[Event]]:
    names = [item.name for item in fields(event_type)]
    while batch := rows.fetchmany(_BATCH):
        yield [event_type(**dict(zip(names, row, strict=True))) for row in batch]


def _columns(event_type: type[Event]) -> str:
    return ", ".join(item.name for item in fields(event_type))


def _quoted(path: Path) -> str:
    # COPY and read_parquet take no bound parameter for the path.
    return str(path).replace("'", "''")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def _new(path: Path) -> Iterator[None]:
    """Say what is wrong with a place that cannot be written anew."""
    try:
        yield
    except FileExistsError:
        raise InputError(
            f"{path} exists; nothing was exported; name a place that does not"
        ) from None
    except OSError as error:
        raise StoreReadOnly(
            f"{path} cannot be made ({error.strerror}); nothing was exported; name another place"
        ) from None
