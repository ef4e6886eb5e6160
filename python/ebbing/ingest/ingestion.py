"""Session logs into the journal: read, redact, append in batches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ebbing import journal
from ebbing.errors import InputError
from ebbing.ingest.items import BadLine, ParsedMessage
from ebbing.ingest.reading import read_messages
from ebbing.journal import ids
from ebbing.journal.messages import message_event
from ebbing.rows import fetch
from ebbing.store.location import expanded
from ebbing.store.store import Store

_BATCH = 1_000
_TAKEN_OUT = ("[erased]", "[redacted:")
_HAD = """
    select message_id, content
    from journal.messages
    where list_contains($message_ids::varchar[], message_id)
"""
_MOST_NAMED = 1_000

ByteProgress = Callable[[str, int, int | None], None]
"""Called with a file's name, bytes read so far, and its size where that is known."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read: which, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of some session logs.

    `read` messages were found, `added` were new, `spooled` wait because the store was busy.
    `edited` came with an id that the journal has under another wording; the new wording was added
    beside the old one. `skipped` names the first 1,000 bad lines of `skipped_count`.
    """

    read: int
    added: int
    spooled: int
    redacted: int
    skipped: tuple[Skipped, ...]
    skipped_count: int
    edited: int = 0


def ingest(
    store: Store,
    paths: Iterable[Path | str],
    *,
    namespace: str,
    format: str | None,
    at: datetime,
    progress: ByteProgress | None = None,
) -> Ingested:
    """Append the messages of some files; `-` is standard input. Memory use does not grow."""
    tally = _Tally()
    for path in paths:
        name = str(path)
        if name == "-":
            _read(store, sys.stdin.buffer, "stdin", namespace, format, at, None, progress, tally)
            continue
        try:
            file = expanded(path)
            size = file.stat().st_size
            written_at = datetime.fromtimestamp(file.stat().st_mtime, UTC).replace(tzinfo=None)
            with file.open("rb") as stream:
                _read(
                    store,
                    stream,
                    name,
                    namespace,
                    format,
                    min(at, written_at),
                    size,
                    progress,
                    tally,
                )
        except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
            raise InputError(
                f"{name} cannot be read ({error.strerror}); the files before it were stored; "
                "give the path of a session log"
            ) from None
    return tally.result()


class _Tally:
    def __init__(self) -> None:
        self.read = self.added = self.spooled = self.redacted = self.skipped_count = 0
        self.edited = 0
        self.skipped: list[Skipped] = []

    def skip(self, file: str, bad: BadLine) -> None:
        self.skipped_count += 1
        if len(self.skipped) < _MOST_NAMED:
            self.skipped.append(Skipped(file, bad.number, bad.reason))

    def result(self) -> Ingested:
        return Ingested(
            read=self.read,
            added=self.added,
            spooled=self.spooled,
            redacted=self.redacted,
            skipped=tuple(self.skipped),
            skipped_count=self.skipped_count,
            edited=self.edited,
        )


def _read(
    store: Store,
    stream: BinaryIO,
    name: str,
    namespace: str,
    format: str | None,
    default_time: datetime,
    size: int | None,
    progress: ByteProgress | None,
    tally: _Tally,
) -> None:
    batch: list[journal.Message] = []
    for item in read_messages(stream, name=name, format=format):
        if isinstance(item, BadLine):
            tally.skip(name, item)
            continue
        tally.read += 1
        batch.extend(_events(item, name, namespace, default_time, tally))
        if len(batch) >= _BATCH:
            _append(store, batch, tally)
            batch = []
            if progress is not None:
                progress(name, stream.tell() if size is not None else 0, size)
    _append(store, batch, tally)
    if progress is not None:
        progress(name, stream.tell() if size is not None else 0, size)


def _events(
    message: ParsedMessage, name: str, namespace: str, default_time: datetime, tally: _Tally
) -> Iterator[journal.Message]:
    safe = message_event(
        message, namespace=namespace, source=Path(name).name, default_time=default_time
    )
    tally.redacted += len(safe.findings)
    if safe.event is not None:
        yield safe.event


def _append(store: Store, batch: list[journal.Message], tally: _Tally) -> None:
    appended = store.append(batch)
    tally.added += appended.inserted
    tally.spooled += appended.spooled
    if appended.inserted + appended.spooled < len(batch):
        edited = store.append(_edited(store, batch))
        tally.edited += edited.inserted + edited.spooled


def _edited(store: Store, batch: list[journal.Message]) -> list[journal.Message]:
    """Return what the journal has under the same id and another wording, each with an id anew."""
    with store.read() as connection:
        had = dict(fetch(connection, _HAD, {"message_ids": [each.message_id for each in batch]}))
    return [
        replace(
            message,
            event_id=ids.event_id(),
            message_id=ids.message_id(message.message_id, "edited", message.content),
        )
        for message in batch
        if (before := had.get(message.message_id, message.content)) != message.content
        # What was taken out of either is no edit, and is not to come back.
        and not any(mark in text for mark in _TAKEN_OUT for text in (before, message.content))
    ]
