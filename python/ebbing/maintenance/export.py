"""Export: the journal as JSON lines or as a folder of Parquet files, whole or not there.

An export is written under another name, and gets its own when it is complete and on disk. It says
itself what it holds: counts at its beginning, counts and a digest at its end.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import duckdb

from ebbing import journal
from ebbing.errors import InputError, StoreReadOnly
from ebbing.journal.events import Event
from ebbing.maintenance import envelope
from ebbing.maintenance.envelope import Contents
from ebbing.store.files import private, sync_file, sync_folder
from ebbing.store.store import Store

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Exported:
    """How many events went where."""

    events: int
    path: str


def export(store: Store, path: Path, *, format: str, at: datetime) -> Exported:
    """Write the journal to a new file or folder that only the user can read.

    The journal keeps in mind where the copy goes, so that an erasure can look for it.
    """
    if format not in ("json-lines", "parquet"):
        raise InputError(
            f"{format!r} is no format; nothing was exported; use json-lines or parquet"
        )
    write = _write_json_lines if format == "json-lines" else _write_parquet
    place = path.absolute()
    partial = envelope.partial_name(place)
    with _explained(path):
        if os.path.lexists(place):
            raise FileExistsError(place)
        _make_parent(place)
        _note(store, place, "begun", at)
        _remove(partial)
        try:
            contents = write(store, partial, path)
            _give_name(partial, place)
        except BaseException:
            with contextlib.suppress(OSError):
                _remove(partial)
            raise
    _note(store, place, "done", at)
    return Exported(events=contents.total, path=str(path))


def _make_parent(place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), place) from None


def _note(store: Store, place: Path, outcome: str, at: datetime) -> None:
    store.append(
        [
            journal.Run(
                run_kind="export",
                outcome=outcome,
                detail=str(place),
                occurred_at=at,
                recorded_at=at,
            )
        ]
    )


def _write_json_lines(store: Store, partial: Path, path: Path) -> Contents:
    """Write every event as one line, each table in the order in which its events came."""
    with (
        store.read() as connection,
        # Within: the store would take its own disk for the full one.
        _explained(path),
        open(partial, "xb", opener=private) as stream,
    ):
        contents = envelope.contents(connection)
        stream.write(envelope.header(contents))
        digest = hashlib.sha256()
        for line in _lines(connection):
            digest.update(line)
            stream.write(line)
        stream.write(envelope.footer(contents, digest.hexdigest()))
        _settle(stream)
    return contents


def _write_parquet(store: Store, folder: Path, path: Path) -> Contents:
    """Write one Parquet file for each table of the journal, and what they are to hold."""
    folder.mkdir(mode=0o700)
    digests: dict[str, str] = {}
    with store.read(output=folder) as connection, _explained(path):
        contents = envelope.contents(connection)
        for event_type in envelope.TRANSFERRED:
            target = folder / f"{event_type.table}.parquet"
            connection.execute(
                f"copy (select {envelope.columns(event_type)} from journal.{event_type.table} "
                f"order by event_sequence) to '{envelope.quoted(target)}' (format parquet)"
            )
            sync_file(target)
            digests[target.name] = envelope.digest_of(target)
    with open(folder / envelope.MANIFEST, "xb", opener=private) as stream:
        stream.write(json.dumps(envelope.manifest(contents, digests), indent=1).encode("utf-8"))
        _settle(stream)
    sync_folder(folder)
    return contents


def _lines(connection: duckdb.DuckDBPyConnection) -> Iterator[bytes]:
    for event_type in envelope.TRANSFERRED:
        rows = connection.execute(
            f"select {envelope.columns(event_type)} from journal.{event_type.table}"
            " order by event_sequence"
        )
        for events in envelope.batches(event_type, rows, _BATCH):
            yield from map(_line, events)


def _line(event: Event) -> bytes:
    return journal.to_json(event).encode("utf-8") + b"\n"


def _settle(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _give_name(partial: Path, place: Path) -> None:
    """Rename what is complete; what somebody else made there meanwhile is left alone."""
    if partial.is_dir():
        # On Linux a rename would replace an empty folder.
        if os.path.lexists(place):
            raise FileExistsError(place)
        os.rename(partial, place)
    else:
        try:
            os.link(partial, place)
            partial.unlink()
        except OSError as error:
            # Not every file system has links.
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK):
                raise
            os.rename(partial, place)
    sync_folder(place.parent)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say what is wrong with a place that cannot be written anew."""
    try:
        yield
    except FileExistsError:
        raise InputError(
            f"{path} exists; nothing was exported; name a place that does not"
        ) from None
    except OSError as error:
        raise StoreReadOnly(
            f"{path} cannot be written ({error.strerror}); nothing was exported; name another place"
        ) from None
    except duckdb.Error as error:
        raise StoreReadOnly(
            f"{path} cannot be written ({' '.join(str(error).split())[:200]}); nothing was "
            "exported; free some space, or name another place"
        ) from None
