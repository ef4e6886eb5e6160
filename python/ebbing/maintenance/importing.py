"""Import: an export into a store. Every event is checked; what is refused is named, by line."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.clock import utc_now
from ebbing.embedding.model import recorded_model_or_none
from ebbing.errors import InputError
from ebbing.journal.admission import Admission
from ebbing.journal.events import Event
from ebbing.maintenance import envelope
from ebbing.store.store import Store

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the events of an export: the journal had some of them, some were refused.

    `bad_lines` are numbers of lines (of events, in Parquet files) with the reason. `redacted`
    counts the events from which a secret was taken. `problem` says what is missing of the export.
    `erased` counts memories of the store that were erased where the export comes from.
    """

    read: int
    added: int
    bad_lines: tuple[tuple[int, str], ...]
    redacted: int = 0
    problem: str | None = None
    erased: int = 0


@dataclass(slots=True)
class _Source:
    """An export while it is read: batches of numbered events, and what it says of itself."""

    path: Path
    batches: Iterator[list[tuple[int, Event]]] = field(default_factory=lambda: iter(()))
    faults: list[tuple[int, str]] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    problem: str | None = None


def require_source(path: Path) -> Path:
    """Return a path where there is something to import, or say that there is not."""
    if not path.is_file() and not path.is_dir():
        raise InputError(
            f"{path} is not there; nothing was imported; give a file or folder that "
            "`ebbing export` wrote"
        )
    return path


def import_path(store: Store, path: Path) -> Imported:
    """Read an export into a store; events that the journal has are not added again."""
    source = _Source(require_source(path))
    source.batches = _parquet_batches(source) if path.is_dir() else _json_batches(source)
    store.create()
    with store.read() as connection:
        takes_model = recorded_model_or_none(connection) is None
        check = Admission(connection, now=utc_now())
    read = added = 0
    for numbered in source.batches:
        with store.read() as connection:
            events = check.admitted(connection, numbered)
        read += len(events)
        wanted = [
            event
            for event in events
            if takes_model or not isinstance(event, journal.EmbeddingModel)
        ]
        added += store.append(wanted).inserted
    bad = sorted([*source.faults, *check.faults])
    if not read and bad and source.problem is None:
        source.problem = f"{path} holds no event that `ebbing export` wrote; nothing was imported"
    return Imported(
        read=read,
        added=added,
        bad_lines=tuple(bad),
        redacted=check.redacted,
        problem=source.problem,
    )


def _json_batches(source: _Source) -> Iterator[list[tuple[int, Event]]]:
    said: envelope.Envelope | None = None
    digest = hashlib.sha256()
    events: list[tuple[int, Event]] = []
    with source.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            if (found := envelope.read_envelope(line)) is not None:
                said = found
                continue
            digest.update(line)
            try:
                event = journal.from_json(line.decode("utf-8"))
            except (ValueError, OverflowError, RecursionError) as error:
                source.faults.append((number, " ".join(str(error).split())[:200]))
                continue
            source.found[event.table] += 1
            if not event.is_own:
                events.append((number, event))
            if len(events) >= _BATCH:
                yield events
                events = []
    yield events
    source.problem = _problem(source, said, digest.hexdigest())


def _problem(source: _Source, said: envelope.Envelope | None, digest: str) -> str | None:
    if said is None:
        # Written by a version that noted nothing; whether it is whole cannot be told.
        return None
    lacking = envelope.missing(said.contents, source.found)
    if not said.is_end:
        lacking = lacking or "its last line is missing"
        return f"{source.path} is cut short: {lacking}; {_KEPT}"
    if lacking is not None:
        return f"{source.path} is not whole: {lacking}; {_KEPT}"
    if said.digest != digest:
        return f"{source.path} was changed after it was written; {_KEPT}"
    return None


_KEPT = "what is there was imported; import the whole export again"


def _parquet_batches(source: _Source) -> Iterator[list[tuple[int, Event]]]:
    folder = source.path
    said = _said_by_manifest(source)
    number = 0
    with contextlib.closing(duckdb.connect()) as connection:
        for event_type in envelope.TRANSFERRED:
            file = folder / f"{event_type.table}.parquet"
            if not file.is_file():
                if said is None and event_type is journal.Erasure:
                    # An older version had no such table.
                    continue
                raise InputError(
                    f"{folder} holds no {file.name}; nothing more was imported; "
                    "give a folder that `ebbing export` wrote"
                )
            try:
                rows = connection.execute(
                    f"select {envelope.columns(event_type)}"
                    f" from read_parquet('{envelope.quoted(file)}')"
                )
                for events in envelope.batches(event_type, rows, _BATCH):
                    source.found[event_type.table] += len(events)
                    yield list(enumerate(events, start=number + 1))
                    number += len(events)
            except duckdb.Error as error:
                raise InputError(
                    f"{file} cannot be read ({' '.join(str(error).split())[:200]}); what was read "
                    "before it is imported; give a folder that `ebbing export` wrote"
                ) from None
    if said is not None:
        lacking = envelope.missing(said, source.found)
        if lacking is not None:
            source.problem = f"{folder} is not whole: {lacking}; {_KEPT}"


def _said_by_manifest(source: _Source) -> envelope.Contents | None:
    path = source.path / envelope.MANIFEST
    if not path.is_file():
        return None
    try:
        said, digests = envelope.read_manifest(path)
    except ValueError as error:
        source.problem = f"{path} cannot be read ({error}); {_KEPT}"
        return None
    changed = [
        name
        for name, digest in digests.items()
        if (source.path / name).is_file() and envelope.digest_of(source.path / name) != digest
    ]
    if changed:
        source.problem = (
            f"{', '.join(changed)} in {source.path} was changed after it was written; {_KEPT}"
        )
    return said
