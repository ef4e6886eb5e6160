"""The store: one DuckDB file, opened late, closed early, and never by two at once.

Every open-to-close happens under the advisory lock of `lock`. A program that knows nothing of
that lock (a DuckDB shell, a plain `dbt run`) may still hold the file; it is waited for within
the same budget. A write that comes too late is not lost: its events wait in the spool.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import random
import re
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import duckdb

from ebbing import journal
from ebbing.errors import (
    InputError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreMissing,
    StoreReadOnly,
)
from ebbing.journal import Event, StoreSetting
from ebbing.location import FILE_NAME as FILE_NAME
from ebbing.location import default_store_path as default_store_path
from ebbing.lock import StoreLock
from ebbing.spool import Spool, rejected_name

FORMAT_VERSION = 1
STORAGE_VERSION = "v1.5.0"

# What one transaction folds at most; more files simply make more transactions.
_FILES_PER_FOLD = 500
_LONGEST_RETRY_PAUSE = 0.1

# DuckDB fetches nothing: an agent's memory works without a network.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
_HOLDER = re.compile(r"\(PID (\d+)\)")


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of the events of one append."""

    inserted: int
    """Rows added to the journal; what it already had is not counted."""
    spooled: int
    """Events that wait in the spool for the next writer."""


@dataclass(slots=True)
class _Hold:
    """What a thread holds of a store, so that it can come in again."""

    exclusive: bool
    depth: int = 1
    connection: duckdb.DuckDBPyConnection | None = None
    read_only: bool = False


_holds = threading.local()

_logger = logging.getLogger("ebbing")


class Store:
    """One store on disk; cheap to make, holds nothing open between calls."""

    def __init__(self, path: Path | str | None = None, *, budget: float = 5.0) -> None:
        """Name a store by its folder or its file; `budget` is the longest wait, in seconds."""
        given = default_store_path() if path is None else Path(path).expanduser()
        if given.suffix == ".duckdb" and given.name != FILE_NAME:
            raise InputError(
                f"the store's file is called {given.name}; nothing was opened; "
                f"rename it to {FILE_NAME}, since dbt writes that name into its views"
            )
        file = given if given.name == FILE_NAME else given / FILE_NAME
        self.path = file.absolute()
        self.folder = self.path.parent
        self.budget = budget
        self.spool = Spool(self.folder / "spool")

    def exists(self) -> bool:
        """Tell whether there is a file at the store's path."""
        try:
            return self.path.exists()
        except OSError as error:
            self._raise(error)

    def create(self) -> bool:
        """Make the store; tell whether it is new. One that is there already is left as it is."""
        try:
            is_new_folder = not self.folder.exists()
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_new_folder:
                self.folder.chmod(0o700)
        except (FileExistsError, NotADirectoryError):
            raise InputError(
                f"{self.folder} lies at or under a file; nothing was made; name a folder"
            ) from None
        except OSError as error:
            self._raise(error)
        with self._locked(exclusive=True, budget=self.budget, must_exist=False) as hold:
            is_new = not self.path.exists()
            with self._opened(hold, read_only=False, deadline=self._deadline(), checked=False) as c:
                self._create_journal(c)
            if is_new:
                self.path.chmod(0o600)
        return is_new

    @contextlib.contextmanager
    def read(self, *, budget: float | None = None) -> Generator[duckdb.DuckDBPyConnection]:
        """Open the store for reading, beside other readers; close it at the end."""
        with self._connected(exclusive=False, budget=budget) as connection:
            yield connection

    @contextlib.contextmanager
    def write(self, *, budget: float | None = None) -> Generator[duckdb.DuckDBPyConnection]:
        """Open the store for writing, alone; close it at the end."""
        with self._connected(exclusive=True, budget=budget) as connection:
            yield connection

    @contextlib.contextmanager
    def held(self, *, exclusive: bool = True, budget: float | None = None) -> Generator[None]:
        """Hold the lock without opening the file, for those who open it themselves.

        The same thread may call `read`, `write`, `append` and `held` within.
        """
        with self._locked(exclusive=exclusive, budget=self._seconds(budget), must_exist=True):
            yield

    def append(
        self, events: Sequence[Event], *, wait: bool = True, budget: float | None = None
    ) -> Appended:
        """Add events to the journal, or leave them in the spool when the store stays busy.

        With `wait=False` they are spooled as soon as the store is not free at once.
        """
        if not events:
            return Appended(inserted=0, spooled=0)
        self._require()
        seconds = self._seconds(budget) if wait else 0.0
        deadline = time.monotonic() + seconds
        if (current := self._current()) is not None:
            return self._append_within(current, events, seconds)
        lock = StoreLock(self._lock_path, exclusive=True)
        try:
            if lock.acquire(0.0):
                with self._entered(lock) as hold:
                    return self._append_alone(hold, events, deadline)
            waiting = self.spool.write(events)
        except OSError as error:
            self._raise(error)
        if not wait:
            return Appended(inserted=0, spooled=len(events))
        return self._append_from_spool(waiting, events, lock, deadline)

    def fold_spool(self, connection: duckdb.DuckDBPyConnection) -> int:
        """Move every waiting batch into the journal, in order; return the rows added.

        A batch killed halfway is folded again and skipped event by event, so each counts once.
        """
        inserted = 0
        # Only what waits now: under load more comes all the time, and this turn must end.
        waiting = self.spool.waiting()
        for first in range(0, len(waiting), _FILES_PER_FOLD):
            inserted += self._fold(connection, waiting[first : first + _FILES_PER_FOLD])
        self.spool.sweep()
        return inserted

    # Appending

    def _append_within(self, hold: _Hold, events: Sequence[Event], seconds: float) -> Appended:
        """Append while this thread holds the store; a reader cannot, so the spool keeps them."""
        is_reading = hold.connection is not None and hold.read_only
        if hold.exclusive and not is_reading:
            with self.write(budget=seconds) as connection:
                return self._append_to(connection, events)
        try:
            self.spool.write(events)
        except OSError as error:
            self._raise(error)
        return Appended(inserted=0, spooled=len(events))

    def _append_to(
        self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]
    ) -> Appended:
        self.fold_spool(connection)
        return Appended(inserted=journal.append(connection, events).total, spooled=0)

    def _append_alone(self, hold: _Hold, events: Sequence[Event], deadline: float) -> Appended:
        try:
            with self._opened(hold, read_only=False, deadline=deadline) as connection:
                return self._append_to(connection, events)
        except StoreBusy:
            self.spool.write(events)
            return Appended(inserted=0, spooled=len(events))

    def _append_from_spool(
        self, waiting: Path, events: Sequence[Event], lock: StoreLock, deadline: float
    ) -> Appended:
        """Wait for the lock, or for whoever has it to fold our batch along with the others.

        Under load one writer thus commits for all that wait, and nobody's turn is long.
        """

        def is_folded() -> bool:
            return not waiting.exists()

        try:
            if lock.acquire(deadline, give_up=is_folded):
                with self._entered(lock) as hold:
                    if not is_folded():
                        with self._opened(hold, read_only=False, deadline=deadline) as connection:
                            self.fold_spool(connection)
                            return self._folded(connection, waiting, events)
            elif not is_folded():
                return Appended(inserted=0, spooled=len(events))
            if not any(event.natural_key for event in events):
                self._refuse_rejected(waiting)
                return Appended(inserted=len(events), spooled=0)
            with self.read() as connection:
                return self._folded(connection, waiting, events)
        except StoreBusy:
            # Either it still waits in the spool, or it is in the journal and only the count is not.
            spooled = 0 if is_folded() else len(events)
            return Appended(inserted=len(events) - spooled, spooled=spooled)
        except (StoreError, OSError) as error:
            # The caller is told that nothing was written, so nothing may come up later.
            self.spool.discard(waiting)
            if isinstance(error, StoreError):
                raise
            self._raise(error)

    def _folded(
        self, connection: duckdb.DuckDBPyConnection, waiting: Path, events: Sequence[Event]
    ) -> Appended:
        self._refuse_rejected(waiting)
        return Appended(inserted=journal.count_present(connection, events), spooled=0)

    def _refuse_rejected(self, waiting: Path) -> None:
        aside = rejected_name(waiting)
        if aside.exists():
            raise InputError(
                f"the journal refused these events; no others were harmed; they are kept as {aside}"
            )

    def _fold(self, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> int:
        batches: list[tuple[Path, list[Event]]] = []
        for path in paths:
            try:
                batches.append((path, self.spool.read(path)))
            except ValueError as error:
                self.spool.reject(path, error)
            except FileNotFoundError:
                continue
            except PermissionError as error:
                # Left by another user: theirs to cure, and no reason to hold up everybody else.
                _logger.warning("a spooled batch waits, as it cannot be read (%s)", error)
        together = [event for _, events in batches for event in events]
        try:
            inserted = journal.append(connection, together).total if together else 0
        except (duckdb.DataError, duckdb.IntegrityError, InputError):
            inserted = self._fold_one_by_one(connection, batches)
        for path, _ in batches:
            self.spool.discard(path)
        return inserted

    def _fold_one_by_one(
        self, connection: duckdb.DuckDBPyConnection, batches: Sequence[tuple[Path, list[Event]]]
    ) -> int:
        inserted = 0
        for path, events in batches:
            try:
                inserted += journal.append(connection, events).total
            except (duckdb.DataError, duckdb.IntegrityError, InputError) as error:
                self.spool.reject(path, error)
        return inserted

    # Locking and opening

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name(self.path.name + ".lock")

    def _seconds(self, budget: float | None) -> float:
        return self.budget if budget is None else budget

    def _deadline(self, budget: float | None = None) -> float:
        return time.monotonic() + self._seconds(budget)

    def _require(self) -> None:
        if not self.exists():
            raise StoreMissing(
                f"there is no store at {self.folder}; nothing was changed; make one: ebbing init"
            )

    def _current(self) -> _Hold | None:
        held: dict[tuple[int, Path], _Hold] = getattr(_holds, "by_store", {})
        return held.get((os.getpid(), self.path))

    @contextlib.contextmanager
    def _entered(self, lock: StoreLock) -> Generator[_Hold]:
        if not hasattr(_holds, "by_store"):
            _holds.by_store = {}
        key = (os.getpid(), self.path)
        hold = _Hold(exclusive=lock.exclusive)
        _holds.by_store[key] = hold
        try:
            yield hold
        finally:
            del _holds.by_store[key]
            lock.release()

    @contextlib.contextmanager
    def _locked(self, *, exclusive: bool, budget: float, must_exist: bool) -> Generator[_Hold]:
        if (current := self._current()) is not None:
            if exclusive and not current.exclusive:
                raise RuntimeError("this thread reads the store; it cannot write before it is done")
            current.depth += 1
            try:
                yield current
            finally:
                current.depth -= 1
            return
        if must_exist:
            self._require()
        lock = StoreLock(self._lock_path, exclusive=exclusive)
        try:
            is_free = lock.acquire(time.monotonic() + budget)
        except OSError as error:
            # A reader of a folder without a lock file that takes no new one: nobody writes there.
            if exclusive or error.errno not in _NOT_WRITABLE:
                self._raise(error)
            is_free = True
        if not is_free:
            raise _busy(lock.holder(), budget)
        with self._entered(lock) as hold:
            yield hold

    @contextlib.contextmanager
    def _connected(
        self, *, exclusive: bool, budget: float | None
    ) -> Generator[duckdb.DuckDBPyConnection]:
        seconds = self._seconds(budget)
        deadline = time.monotonic() + seconds
        with (
            self._locked(exclusive=exclusive, budget=seconds, must_exist=True) as hold,
            self._opened(hold, read_only=not exclusive, deadline=deadline) as connection,
        ):
            yield connection

    @contextlib.contextmanager
    def _opened(
        self, hold: _Hold, *, read_only: bool, deadline: float, checked: bool = True
    ) -> Generator[duckdb.DuckDBPyConnection]:
        if hold.connection is not None:
            if hold.read_only and not read_only:
                raise RuntimeError("this thread reads the store; it cannot write before it is done")
            yield hold.connection
            return
        connection = self._open(read_only=read_only, deadline=deadline)
        hold.connection, hold.read_only = connection, read_only
        try:
            try:
                if checked:
                    self._check_format(connection)
                yield connection
            finally:
                hold.connection = None
                connection.close()
        except (duckdb.Error, OSError) as error:
            if (known := self._explain(error)) is None:
                raise
            raise known from error

    def _open(self, *, read_only: bool, deadline: float) -> duckdb.DuckDBPyConnection:
        started = time.monotonic()
        pause = 0.005
        config = dict(_CONFIG)
        if not read_only:
            # Counts for a new file only; an older one keeps its own.
            config["storage_compatibility_version"] = STORAGE_VERSION
        while True:
            try:
                connection = duckdb.connect(str(self.path), read_only=read_only, config=config)
            except (duckdb.Error, OSError) as error:
                known = self._explain(error)
                if known is None:
                    raise
                if not isinstance(known, StoreBusy):
                    raise known from error
                if time.monotonic() >= deadline:
                    raise _busy(_holder_in(error), max(deadline - started, 0.0)) from error
            else:
                connection.execute("set timezone = 'UTC'")
                return connection
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 1.5, _LONGEST_RETRY_PAUSE)

    # What the file is

    def _create_journal(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._check_version(_format_version(connection))
        connection.execute(journal.create_statements())
        if _format_version(connection) is None:
            setting = StoreSetting(setting="format_version", setting_value=str(FORMAT_VERSION))
            journal.append(connection, [setting])

    def _check_format(self, connection: duckdb.DuckDBPyConnection) -> None:
        version = _format_version(connection)
        if version is None:
            raise StoreCorrupt(
                f"{self.path} is a DuckDB file without a journal; it was not touched; "
                "run ebbing init to make it a store, or name another folder"
            )
        self._check_version(version)

    def _check_version(self, version: str | None) -> None:
        if version is None or (version.isdecimal() and int(version) <= FORMAT_VERSION):
            return
        raise StoreCorrupt(
            f"{self.path} has format {version} and this version reads up to {FORMAT_VERSION}; "
            "it was not touched; upgrade: pip install --upgrade ebbing"
        )

    # What went wrong

    def _raise(self, error: OSError) -> NoReturn:
        raise self._explain(error) or error

    def _explain(self, error: duckdb.Error | OSError) -> StoreError | None:
        """Turn what the system or DuckDB said into what it means, or None for other errors."""
        text = str(error)
        code = error.errno if isinstance(error, OSError) else None
        if code in _DISK_FULL or re.search(
            r"No space left|Disk quota exceeded|File too large|not enough space", text, re.I
        ):
            return StoreReadOnly(
                f"the disk of {self.folder} is full; the store is as it was; free some space"
            )
        if code in _NOT_WRITABLE or re.search(
            r"Permission denied|Read-only file system|Operation not permitted", text
        ):
            return StoreReadOnly(
                f"{self.folder} cannot be opened for this (permission denied or read-only); "
                "nothing was written; make it writable or set EBBING_HOME to another folder"
            )
        if isinstance(error, duckdb.CatalogException):
            return StoreError(
                "the store's dbt models are missing or of another version; nothing was changed; "
                "run `ebbing maintain`, or `dbt build`"
            )
        if "Conflicting lock" in text or "different configuration" in text:
            return _busy(_holder_in(error), self.budget)
        if re.search(
            r"database file with version number|storage version|newer version", text, re.I
        ):
            return StoreCorrupt(
                f"{self.path} was written by a newer DuckDB; it was not touched; "
                "upgrade: pip install --upgrade duckdb"
            )
        if isinstance(error, duckdb.SerializationException) or re.search(
            r"not a valid DuckDB database file|not read enough bytes|Corrupt|checksum"
            # A file of SQLite or the like: DuckDB knows what could open it.
            r"|is an existing extension",
            text,
            re.I,
        ):
            return StoreCorrupt(
                f"{self.path} is not a DuckDB file or is damaged; it was not touched; "
                "restore a copy, or name another folder"
            )
        return None


def _format_version(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Return the format that the store says it has, or None when it holds no journal."""
    try:
        row = connection.execute(
            "select max_by(setting_value, event_sequence) from journal.store_settings"
            " where setting = 'format_version'"
        ).fetchone()
    except duckdb.CatalogException:
        return None
    return str(row[0]) if row and row[0] is not None else None


def _holder_in(error: BaseException) -> int | None:
    found = _HOLDER.search(str(error))
    return int(found[1]) if found else None


def _busy(holder: int | None, waited: float) -> StoreBusy:
    who = f"process {holder}" if holder is not None else "another process"
    return StoreBusy(
        f"{who} has held the store for {waited:.1f} s; nothing was harmed; "
        "try again when it is done"
    )
