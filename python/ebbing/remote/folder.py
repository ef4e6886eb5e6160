"""A remote in a shared folder, synced or mounted, with no server.

Each replica has a folder of its own in it and numbers its files, which have the spool's format; so
a reader knows how far it came with each, whatever the order in which files arrive. A file that is
not whole yet ends the reading of its replica, until it is.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from ebbing import journal
from ebbing.erasure.proof import count_in_file
from ebbing.errors import RemoteAway, RemoteRefused
from ebbing.journal.events import Event
from ebbing.journal.migrations import newest_format
from ebbing.journal.spool import batch_bytes, batch_lines
from ebbing.remote.bodies import digest, memory_hashes
from ebbing.remote.protocol import Delivery, Mark, Model, Rewriting, StaleMark
from ebbing.store.files import private, sync_folder, write_whole

_ABOUT = "ebbing-remote.json"
_VERSION = 1
_SUFFIX = ".jsonl"
_DIGITS = 9
_BATCH = 1_000


class FolderRemote:
    """A shared folder; `replica` is the name of the folder in it that this store writes."""

    def __init__(self, address: str, folder: Path, *, replica: str) -> None:
        """Name the folder; it is read when something is asked of it."""
        self.address = address
        self.folder = folder
        self._replica = replica

    def make(self, model: Model | None) -> None:
        """Make the folder a remote if it is none; one that names no model takes this one."""
        with self._reached():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            about = self._about() if (self.folder / _ABOUT).exists() else None
            if about is None or about.model is None:
                self._note(_About(about.identity if about else uuid4().hex, model))

    def model(self) -> Model | None:
        """Return whose vectors the remote holds."""
        with self._reached():
            return self._about().model

    def scope(self) -> frozenset[str] | None:
        """Whoever reads the folder reads all of it."""
        return None

    @contextlib.contextmanager
    def deliver(self, mark: Mark | None) -> Generator[Delivery]:
        """Deliver the files that were not there when the mark was made."""
        with self._reached():
            identity = f"{self._about().identity}/{newest_format()}"
            there = self._numbers()
            read = _read_until(mark) if mark is not None and mark.identity == identity else None
            if read is not None and any(there.get(name, 0) < n for name, n in read.items()):
                # It was restored to what it was before.
                read = None
            delivery = Delivery(identity, read is None, "", iter(()))
            files = self._new_files(read or {}, delivery)
            delivery.batches = self._batches(files)
            yield delivery

    def missing(self, event_ids: Sequence[str]) -> set[str]:
        """Return those of some event ids that are in no file."""
        wanted = set(event_ids)
        with self._reached():
            for path in self._files():
                if not wanted:
                    break
                with contextlib.suppress(ValueError, RecursionError):
                    wanted -= {event.event_id for event in _events(path)}
        return wanted

    def send(
        self,
        events: Sequence[Event],
        namespaces: Sequence[Sequence[str] | None],
        mark: Mark | None = None,
    ) -> int:
        """Write events as files of this replica."""
        if mark is not None and self._has_come(mark):
            raise StaleMark(f"{self.folder} has tombstones that were not read yet")
        with self._reached():
            self._about()
            own = self.folder / self._replica
            own.mkdir(mode=0o700, exist_ok=True)
            for start in range(0, len(events), _BATCH):
                lines = [journal.to_json(event) for event in events[start : start + _BATCH]]
                self._write(own, batch_bytes(lines))
        return len(events)

    def erase(self, rewriting: Rewriting, mark: Mark) -> bool:
        """Write the files anew that hold what is erased, and the tombstones as a new file."""
        if self._has_come(mark):
            return False
        self.send(rewriting.marks, [None] * len(rewriting.marks))
        after = {event.event_id: journal.to_json(event) for event in rewriting.events}
        with self._reached():
            for path in self._files():
                with contextlib.suppress(ValueError, RecursionError):
                    lines, _ = batch_lines(path)
                    kept = [
                        line if event is None else after.get(event.event_id, line)
                        for line in lines
                        if (event := _event(line)) is None or not goes(event, rewriting.marks)
                    ]
                    if kept != lines:
                        write_whole(path, batch_bytes(kept))
        return True

    def digests(self, kinds: Sequence[str]) -> dict[str, str]:
        """Return the digest of every event of some kinds, by event id."""
        with self._reached():
            return {
                event.event_id: digest(event)
                for path in self._files()
                for event in _events(path)
                if event.table in kinds
            }

    def search(self, needles: Sequence[str]) -> list[tuple[str, int]]:
        """Return how often texts are found in each file."""
        with self._reached():
            return [(str(path), count_in_file(path, needles)) for path in self._files()]

    def close(self) -> None:
        """Nothing is open between calls."""

    # Within

    def _has_come(self, mark: Mark) -> bool:
        with self.deliver(mark) as delivery:
            return any(
                isinstance(event, journal.Erasure)
                for events in delivery.batches
                for event in events
            )

    def _about(self) -> _About:
        path = self.folder / _ABOUT
        try:
            values = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise RemoteAway(
                f"{self.folder} holds no {_ABOUT}: it is not mounted, not synced yet, or no "
                "remote; nothing was harmed; see that it is there, or add it again"
            ) from None
        except ValueError as error:
            raise RemoteRefused(
                f"{path} cannot be read ({error}); nothing was harmed; restore it"
            ) from None
        if values.get("ebbing_remote") != _VERSION:
            raise RemoteRefused(
                f"{self.folder} was made by a newer version; nothing was harmed; upgrade: "
                "pip install --upgrade ebbing"
            )
        model = values.get("model")
        return _About(str(values["identity"]), Model(**model) if model else None)

    def _note(self, about: _About) -> None:
        model = about.model
        values = {
            "ebbing_remote": _VERSION,
            "identity": about.identity,
            "model": model and {"model_id": model.model_id, "dimension": model.dimension},
        }
        write_whole(self.folder / _ABOUT, json.dumps(values, indent=1).encode("utf-8"))

    def _write(self, own: Path, data: bytes) -> None:
        partial = own / f"{uuid4().hex}.partial"
        with open(partial, "xb", opener=private) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        number = max(_numbers_in(own), default=0) + 1
        while True:
            try:
                # Never over another's file, as two processes may have the same number.
                os.link(partial, _file(own, number))
                break
            except FileExistsError:
                number += 1
        partial.unlink()
        sync_folder(own)

    def _numbers(self) -> dict[str, int]:
        return {
            own.name: max(_numbers_in(own), default=0)
            for own in sorted(self.folder.iterdir())
            if own.is_dir() and not own.name.startswith(".")
        }

    def _files(self) -> Iterator[Path]:
        for name in self._numbers():
            own = self.folder / name
            yield from (_file(own, number) for number in sorted(_numbers_in(own)))

    def _new_files(self, read: dict[str, int], delivery: Delivery) -> list[Path]:
        """Return the files to read, each replica's up to its first gap; note the position."""
        files: list[Path] = []
        position = dict(read)
        for name, last in self._numbers().items():
            for number in range(read.get(name, 0) + 1, last + 1):
                path = _file(self.folder / name, number)
                try:
                    lines, _ = batch_lines(path)
                except FileNotFoundError:
                    break
                except (ValueError, RecursionError) as error:
                    delivery.problems.append(f"{path}: {error}; it is read when it is whole")
                    break
                delivery.unreadable += sum(_event(line) is None for line in lines)
                files.append(path)
                position[name] = number
        delivery.position = json.dumps(position, sort_keys=True)
        return files

    def _batches(self, files: Sequence[Path]) -> Iterator[list[Event]]:
        tombstones: list[Event] = [
            event for path in files for event in _events(path) if isinstance(event, journal.Erasure)
        ]
        if tombstones:
            yield tombstones
        for path in files:
            if rest := [one for one in _events(path) if not isinstance(one, journal.Erasure)]:
                yield rest

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RemoteAway(
                f"{self.folder} cannot be used ({error.strerror or error}); what is written waits "
                "in the store; see that it is mounted and writable"
            ) from error


@dataclass(frozen=True, slots=True)
class _About:
    identity: str
    model: Model | None


def _events(path: Path) -> list[Event]:
    lines, _ = batch_lines(path)
    return [event for line in lines if (event := _event(line)) is not None]


def _event(line: str) -> Event | None:
    """Return the event of a line, or None for one that a newer version wrote."""
    try:
        return journal.from_json(line)
    except (ValueError, OverflowError, RecursionError):
        return None


def goes(event: Event, marks: Sequence[journal.Erasure]) -> bool:
    """Tell whether an event goes with what some tombstones name."""
    hashes = set(memory_hashes(event))
    content_hash = getattr(event, "content_hash", None)
    return not isinstance(event, journal.Erasure) and any(
        event.event_id < mark.event_id
        and (mark.memory_id_hash in hashes or mark.content_hash == content_hash)
        for mark in marks
        if getattr(event, "namespace", mark.namespace) == mark.namespace
    )


def _read_until(mark: Mark) -> dict[str, int] | None:
    try:
        values = json.loads(mark.position)
        return {str(name): int(number) for name, number in values.items()}
    except (ValueError, AttributeError, TypeError):
        return None


def _numbers_in(own: Path) -> list[int]:
    try:
        return [
            int(path.stem)
            for path in own.iterdir()
            if path.suffix == _SUFFIX and path.stem.isdecimal()
        ]
    except FileNotFoundError:
        return []


def _file(own: Path, number: int) -> Path:
    return own / f"{number:0{_DIGITS}}{_SUFFIX}"
