"""The mirror: every event of the journal once more, in files that only grow.

A database whose block was torn by a power cut opens no more. The mirror is plain lines, each with
a checksum, written and synced before an append is acknowledged; a torn line is the last one.
From it `ebbing doctor --repair` makes the store anew. All writers hold the store's lock.
"""

from __future__ import annotations

import base64
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import duckdb

from ebbing import journal
from ebbing.journal import ids
from ebbing.journal.events import Event
from ebbing.store.files import private, sync_folder

_SUFFIX = ".segment"
_LARGEST_SEGMENT = 1 << 24
_MOST_SEGMENTS = 64
_BATCH = 1_000

# Before a line's JSON, which would be thrice as long.
_VECTORS: dict[type[Event], str] = {journal.Embedding: "vector", journal.Recall: "query_vector"}
_NONE = "-"


class Mirror:
    """The folder of segments beside one store."""

    __slots__ = ("folder",)

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made with the first event."""
        self.folder = folder

    def exists(self) -> bool:
        """Tell whether there is a mirror."""
        return bool(self._segments())

    def begin(self) -> None:
        """Begin with no event, for a store whose events another mirror has."""
        self._write(self._new_name(), ())

    def add(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> None:
        """Write down what the journal has of some events; the whole of it, the first time."""
        segments = self._segments()
        if not segments:
            self.rewrite(connection)
            return
        newest = segments[-1]
        if newest.stat().st_size > _LARGEST_SEGMENT:
            newest = self._new_name()
        self._write(newest, _present(connection, events))

    def rewrite(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Write the journal as one new segment, and remove those that were."""
        older = self._segments()
        partial = self._new_name().with_suffix(".partial")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for leftover in self.folder.glob("*.partial"):
            leftover.unlink()
        self._write(partial, _all(connection))
        os.replace(partial, partial.with_suffix(_SUFFIX))
        sync_folder(self.folder)
        for segment in older:
            segment.unlink()
        sync_folder(self.folder)

    def is_scattered(self) -> bool:
        """Tell whether it is worth being written anew as one segment."""
        return len(self._segments()) > _MOST_SEGMENTS

    def adopt(self, other: Mirror) -> None:
        """Take over what was written to the copy of a store that has taken its place."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for segment in other._segments():
            # A name of now: it sorts behind what is here.
            os.replace(segment, self._new_name())
        sync_folder(self.folder)

    def events(self, faults: list[str] | None = None) -> Iterator[Event]:
        """Yield every event in the order in which it was written; damaged lines are noted."""
        for segment in self._segments():
            with segment.open("rb") as stream:
                for number, line in enumerate(stream, start=1):
                    if not line.strip():
                        continue
                    try:
                        yield _read(line)
                    except (ValueError, OverflowError, RecursionError) as error:
                        if faults is not None:
                            reason = " ".join(str(error).split())[:200]
                            faults.append(f"{segment.name}:{number}: {reason}")

    def _segments(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def _new_name(self) -> Path:
        return self.folder / f"{ids.event_id()}{_SUFFIX}"

    def _write(self, path: Path, events: Iterable[Event]) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        is_new = not path.exists()
        with open(path, "ab+", opener=private) as stream:
            if stream.tell() and not _ends_whole(stream.fileno()):
                # The line that a power cut tore stays alone.
                stream.write(b"\n")
            for event in events:
                stream.write(_line(event))
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            sync_folder(self.folder)


def _ends_whole(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return not size or os.pread(descriptor, 1, size - 1) == b"\n"


def _line(event: Event) -> bytes:
    encoded = _NONE
    name = _VECTORS.get(type(event))
    if name is not None and (vector := getattr(event, name)) is not None:
        encoded = base64.b64encode(array("f", map(float, vector)).tobytes()).decode("ascii")
        event = _with_vector(event, name, ())
    body = f"{encoded} {journal.to_json(event)}".encode()
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _read(line: bytes) -> Event:
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if int(checksum, 16) != zlib.crc32(body):
        raise ValueError("its checksum is not that of its text")
    encoded, _, text = body.partition(b" ")
    event = journal.from_json(text.decode("utf-8"))
    name = _VECTORS.get(type(event))
    if name is None or encoded == _NONE.encode():
        return event
    return _with_vector(event, name, tuple(array("f", base64.b64decode(encoded))))


def _with_vector(event: Event, name: str, vector: tuple[float, ...]) -> Event:
    values: dict[str, Any] = {name: vector}
    return replace(event, **values)


def _present(connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> Iterator[Event]:
    """Yield those events that the journal has: it leaves out what was erased."""
    for event_type in dict.fromkeys(type(event) for event in events if not event.is_own):
        given = {event.event_id: event for event in events if type(event) is event_type}
        rows = connection.execute(
            f"select event_id from journal.{event_type.table}"
            " where event_id between $first and $last and list_contains($event_ids, event_id)",
            {"first": min(given), "last": max(given), "event_ids": list(given)},
        ).fetchall()
        for (event_id,) in rows:
            yield given[event_id]


def _all(connection: duckdb.DuckDBPyConnection) -> Iterator[Event]:
    for event_type in journal.EVENT_TYPES:
        if event_type.is_own:
            # Those of the store that is made from it are its own.
            continue
        names = [item.name for item in fields(event_type)]
        rows = connection.execute(
            f"select {', '.join(names)} from journal.{event_type.table} order by event_sequence"
        )
        while batch := rows.fetchmany(_BATCH):
            for row in batch:
                yield event_type(**dict(zip(names, row, strict=True)))
