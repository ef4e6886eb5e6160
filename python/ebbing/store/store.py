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
import shutil
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NoReturn

import duckdb

from ebbing import journal
from ebbing.errors import (
    ErasurePending,
    InputError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreMissing,
    StoreReadOnly,
)
from ebbing.journal import migrations
from ebbing.journal.events import Event
from ebbing.journal.spool import Batch, Spool, reason_name, rejected_name
from ebbing.store.files import sync_file
from ebbing.store.foreign_code import confine, is_ours, left_by_us
from ebbing.store.location import FILE_NAME as FILE_NAME
from ebbing.store.location import INTENT_NAME, REMOTES_NAME, expanded, fault_of_place
from ebbing.store.location import default_store_path as default_store_path
from ebbing.store.lock import StoreLock
from ebbing.store.mirror import Mirror

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
    away: str | None = None
    """Why a remote has not got them yet; they go there by themselves."""


@dataclass(slots=True)
class _Hold:
    """What a thread holds of a store, so that it can come in again."""

    exclusive: bool
    depth: int = 1
    connection: duckdb.DuckDBPyConnection | None = None
    read_only: bool = False
    for_erasure: bool = False


_FORMAT = """
    select max_by(setting_value, event_sequence)
    from journal.store_settings
    where setting = 'format_version'
"""

_KEPT = """
    select schema_name
    from duckdb_schemas()
    where database_name = current_database() and schema_name like 'journal_format_%'
"""

_holds = threading.local()

_logger = logging.getLogger("ebbing")


class Store:
    """One store on disk; cheap to make, holds nothing open between calls."""

    def __init__(self, path: Path | str | None = None, *, budget: float = 5.0) -> None:
        """Name a store by its folder or its file; `budget` is the longest wait, in seconds."""
        given = default_store_path() if path is None else expanded(path)
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
        self.mirror = Mirror(self.folder / "mirror")

    def exists(self) -> bool:
        """Tell whether there is a file at the store's path."""
        try:
            return self.path.exists()
        except OSError as error:
            self._raise(error)

    def has_remotes(self) -> bool:
        """Tell whether the store shares its journal with others."""
        return (self.folder / REMOTES_NAME).exists()

    def create(self) -> bool:
        """Make the store; tell whether it is new. One that is there already is left as it is."""
        self.make_folder()
        with self._locked(exclusive=True, budget=self.budget, must_exist=False) as hold:
            is_new = not self.path.exists()
            with self._opened(hold, read_only=False, deadline=self._deadline(), is_new=True):
                pass
            if is_new:
                self.path.chmod(0o600)
        return is_new

    def make_folder(self) -> None:
        """Make the store's folder, private to its user; one that is there is left as it is."""
        if fault := fault_of_place(self.folder):
            raise InputError(f"{self.folder} {fault}; nothing was made; name another folder")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # One that holds other things too is its owner's to open or close.
            if not any(self.folder.iterdir()):
                self.folder.chmod(0o700)
        except (FileExistsError, NotADirectoryError):
            raise InputError(
                f"{self.folder} lies at or under a file; nothing was made; name a folder"
            ) from None
        except OSError as error:
            self._raise(error)

    @contextlib.contextmanager
    def read(
        self, *, budget: float | None = None, output: Path | None = None
    ) -> Generator[duckdb.DuckDBPyConnection]:
        """Open the store for reading, beside other readers; close it at the end.

        DuckDB reaches no other file, but those of the folder `output` if one is given.
        """
        with self._connected(exclusive=False, budget=budget, output=output) as connection:
            yield connection

    @contextlib.contextmanager
    def write(self, *, budget: float | None = None) -> Generator[duckdb.DuckDBPyConnection]:
        """Open the store for writing, alone; close it at the end."""
        with self._connected(exclusive=True, budget=budget) as connection:
            yield connection

    @contextlib.contextmanager
    def held(
        self,
        *,
        exclusive: bool = True,
        budget: float | None = None,
        must_exist: bool = True,
        for_erasure: bool = False,
    ) -> Generator[None]:
        """Hold the lock without opening the file, for those who open it themselves.

        The same thread may call `read`, `write`, `append` and `held` within. `for_erasure` is for
        the one that carries an erasure out: to all others the store is closed meanwhile.
        """
        with self._locked(
            exclusive=exclusive, budget=self._seconds(budget), must_exist=must_exist
        ) as hold:
            before, hold.for_erasure = hold.for_erasure, for_erasure or hold.for_erasure
            try:
                yield
            finally:
                hold.for_erasure = before

    def append(
        self,
        events: Sequence[Event],
        *,
        wait: bool = True,
        budget: float | None = None,
        namespace: str | None = None,
        is_local: bool = False,
    ) -> Appended:
        """Add events to the journal, or leave them in the spool when the store stays busy.

        Where the store has remotes, they are committed there too, unless the events are to be
        `is_local`.

        With `wait=False` they are spooled as soon as the store is not free at once. With a
        `namespace` they are one request, which `learning.checks` must let pass: here, or, where
        the store stays busy, when it is folded in.
        """
        if not events:
            return Appended(inserted=0, spooled=0)
        self.require()
        if wait and not is_local and self._current() is None and self.has_remotes():
            # Late, as it brings along what asks over a network.
            from ebbing.remote.sending import append

            return append(self, events, budget=self._seconds(budget), namespace=namespace)
        seconds = self._seconds(budget) if wait else 0.0
        deadline = time.monotonic() + seconds
        batch = Batch(list(events), namespace)
        if (current := self._current()) is not None:
            return self._append_within(current, batch, seconds)
        lock = StoreLock(self._lock_path, exclusive=True)
        try:
            if lock.acquire(0.0):
                with self._entered(lock) as hold:
                    return self._append_alone(hold, batch, deadline)
            waiting = self._spool(batch)
        except OSError as error:
            self._raise(error)
        if not wait:
            return Appended(inserted=0, spooled=len(events))
        return self._append_from_spool(waiting, batch, lock, deadline)

    def leave(self, events: Sequence[Event], *, most_waiting: int) -> None:
        """Leave events in the spool for the next writer; the store is opened only to clear it.

        That is where more than `most_waiting` batches wait, and nobody has the store.
        """
        self.require()
        try:
            self.spool.write(events)
        except OSError as error:
            self._raise(error)
        if len(self.spool.waiting()) > most_waiting:
            with contextlib.suppress(StoreBusy), self.write(budget=0.0) as connection:
                self.fold_spool(connection)

    def fold_spool(self, connection: duckdb.DuckDBPyConnection, *, but: Path | None = None) -> int:
        """Move every waiting batch into the journal, in order; return the rows added.

        One may be left out by its path. A batch killed halfway is folded again and skipped event
        by event, so each counts once.
        """
        inserted = 0
        # Only what waits now: under load more comes all the time, and this turn must end.
        waiting = [path for path in self.spool.waiting() if path != but]
        for first in range(0, len(waiting), _FILES_PER_FOLD):
            inserted += self._fold(connection, waiting[first : first + _FILES_PER_FOLD])
        self.spool.sweep()
        return inserted

    # Appending

    def _append_within(self, hold: _Hold, batch: Batch, seconds: float) -> Appended:
        """Append while this thread holds the store; a reader cannot, so the spool keeps them."""
        is_reading = hold.connection is not None and hold.read_only
        if hold.exclusive and not is_reading:
            with self.write(budget=seconds) as connection:
                return self._append_to(connection, batch)
        try:
            self._spool(batch)
        except OSError as error:
            self._raise(error)
        return Appended(inserted=0, spooled=len(batch.events))

    def _append_to(self, connection: duckdb.DuckDBPyConnection, batch: Batch) -> Appended:
        self.fold_spool(connection)
        events = self._checked(connection, batch)
        return Appended(inserted=self.insert(connection, events), spooled=0)

    def _append_alone(self, hold: _Hold, batch: Batch, deadline: float) -> Appended:
        try:
            with self._opened(hold, read_only=False, deadline=deadline) as connection:
                return self._append_to(connection, batch)
        except StoreBusy:
            self._spool(batch)
            return Appended(inserted=0, spooled=len(batch.events))

    def _spool(self, batch: Batch) -> Path:
        return self.spool.write(batch.events, namespace=batch.namespace)

    def _checked(self, connection: duckdb.DuckDBPyConnection, batch: Batch) -> list[Event]:
        if batch.namespace is None:
            return batch.events
        # Late, as it asks about memories and tasks, of which the store itself knows nothing.
        from ebbing.learning.checks import checked

        return checked(connection, self.path, batch.events, batch.namespace)

    def _append_from_spool(
        self, waiting: Path, batch: Batch, lock: StoreLock, deadline: float
    ) -> Appended:
        """Wait for the lock, or for whoever has it to fold our batch along with the others.

        Under load one writer thus commits for all that wait, and nobody's turn is long.
        """
        events = batch.events

        def is_folded() -> bool:
            return not waiting.exists()

        try:
            if lock.acquire(deadline, give_up=is_folded):
                with self._entered(lock) as hold:
                    if not is_folded():
                        with self._opened(hold, read_only=False, deadline=deadline) as connection:
                            if batch.namespace is not None:
                                return self._append_request(connection, waiting, batch)
                            self.fold_spool(connection)
                            return self._folded(connection, waiting, batch)
            elif not is_folded():
                return Appended(inserted=0, spooled=len(events))
            if not any(event.natural_key for event in events):
                self._refuse_rejected(waiting, batch)
                return Appended(inserted=len(events), spooled=0)
            with self.read() as connection:
                return self._folded(connection, waiting, batch)
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

    def _append_request(
        self, connection: duckdb.DuckDBPyConnection, waiting: Path, batch: Batch
    ) -> Appended:
        """Append what waits in the spool, or refuse it to who still waits for it."""
        self.fold_spool(connection, but=waiting)
        try:
            inserted = self.insert(connection, self._checked(connection, batch))
        finally:
            self.spool.discard(waiting)
        return Appended(inserted=inserted, spooled=0)

    def _folded(
        self, connection: duckdb.DuckDBPyConnection, waiting: Path, batch: Batch
    ) -> Appended:
        self._refuse_rejected(waiting, batch)
        if waiting.exists():
            return Appended(inserted=0, spooled=len(batch.events))
        return Appended(inserted=journal.count_present(connection, batch.events), spooled=0)

    def _refuse_rejected(self, waiting: Path, batch: Batch) -> None:
        aside = rejected_name(waiting)
        if not aside.exists():
            return
        if batch.namespace is not None and (why := reason_name(waiting)).exists():
            # Whoever asked is told now; nobody has to look for it later.
            reason = why.read_text("utf-8").strip()
            self.spool.discard(aside)
            self.spool.discard(why)
            raise InputError(reason)
        raise InputError(
            f"the journal refused these events; no others were harmed; they are kept as {aside}"
        )

    def _fold(self, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> int:
        batches: list[tuple[Path, Batch]] = []
        for path in paths:
            try:
                batches.append((path, self.spool.read(path)))
            except (ValueError, OverflowError, RecursionError) as error:
                self.spool.reject(path, error)
            except FileNotFoundError:
                continue
            except OSError as error:
                # Left by another user: theirs to cure, and no reason to hold up everybody else.
                _logger.warning("a spooled batch waits, as it cannot be read (%s)", error)
        inserted = 0
        # In order, as a request may be about what was spooled before it.
        for is_request, group in groupby(batches, lambda each: each[1].namespace is not None):
            if is_request:
                inserted += sum(self._fold_request(connection, *each) for each in group)
            else:
                inserted += self._fold_together(connection, list(group))
        return inserted

    def _fold_together(
        self, connection: duckdb.DuckDBPyConnection, batches: Sequence[tuple[Path, Batch]]
    ) -> int:
        together = [event for _, batch in batches for event in batch.events]
        try:
            inserted = self.insert(connection, together) if together else 0
        except (duckdb.DataError, duckdb.IntegrityError, InputError):
            inserted = sum(self._fold_alone(connection, *each) for each in batches)
        for path, _ in batches:
            self.spool.discard(path)
        return inserted

    def _fold_alone(self, connection: duckdb.DuckDBPyConnection, path: Path, batch: Batch) -> int:
        try:
            return self.insert(connection, batch.events)
        except (duckdb.DataError, duckdb.IntegrityError, InputError) as error:
            self.spool.reject(path, error)
            return 0

    def _fold_request(self, connection: duckdb.DuckDBPyConnection, path: Path, batch: Batch) -> int:
        if journal.count_present(connection, batch.events):
            # Folded by one who was killed before the file went: it would be refused by itself.
            self.spool.discard(path)
            return 0
        try:
            inserted = self.insert(connection, self._checked(connection, batch))
        except (duckdb.DataError, duckdb.IntegrityError, InputError) as error:
            self.spool.reject(path, error)
            return 0
        except (duckdb.CatalogException, duckdb.BinderException, StoreCorrupt):
            # There are no models to ask; after the next maintenance there are.
            return 0
        self.spool.discard(path)
        return inserted

    def insert(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> int:
        """Append events through an open connection, to the mirror too; return the rows added."""
        inserted = journal.append(connection, events).total
        try:
            self.mirror.add(connection, events)
        except OSError as error:
            # They are in the journal; the next maintenance brings the mirror up to it.
            _logger.warning("the mirror of the journal is behind it: %s", error)
        return inserted

    # Locking and opening

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name(self.path.name + ".lock")

    def _seconds(self, budget: float | None) -> float:
        return self.budget if budget is None else budget

    def _deadline(self, budget: float | None = None) -> float:
        return time.monotonic() + self._seconds(budget)

    def require(self) -> None:
        """Raise `StoreMissing` where there is no store."""
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
            self.require()
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
        self, *, exclusive: bool, budget: float | None, output: Path | None = None
    ) -> Generator[duckdb.DuckDBPyConnection]:
        seconds = self._seconds(budget)
        deadline = time.monotonic() + seconds
        with (
            self._locked(exclusive=exclusive, budget=seconds, must_exist=True) as hold,
            self._opened(
                hold, read_only=not exclusive, deadline=deadline, output=output
            ) as connection,
        ):
            yield connection

    @contextlib.contextmanager
    def _opened(
        self,
        hold: _Hold,
        *,
        read_only: bool,
        deadline: float,
        is_new: bool = False,
        output: Path | None = None,
    ) -> Generator[duckdb.DuckDBPyConnection]:
        if hold.connection is not None:
            if hold.read_only and not read_only:
                raise RuntimeError("this thread reads the store; it cannot write before it is done")
            yield hold.connection
            return
        if not (is_new or hold.for_erasure):
            self._refuse_half_erased()
        was_ours = not read_only and is_ours(self.path)
        try:
            connection = self._open(read_only=read_only, deadline=deadline, output=output)
            try:
                if not read_only:
                    connection = self._writable(connection, deadline, is_new=is_new)
                elif self._format(connection) is None:
                    raise self._without_journal()
                hold.connection, hold.read_only = connection, read_only
                yield connection
            finally:
                hold.connection = None
                connection.close()
                left_by_us(self.path, was_ours=was_ours)
        except (duckdb.Error, OSError) as error:
            if (known := self._explain(error)) is None:
                raise
            raise known from error

    def _open(
        self, *, read_only: bool, deadline: float, output: Path | None = None
    ) -> duckdb.DuckDBPyConnection:
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
                confine(connection, output=output)
                return connection
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 1.5, _LONGEST_RETRY_PAUSE)

    # What the file is

    def _refuse_half_erased(self) -> None:
        if (self.folder / INTENT_NAME).exists():
            raise ErasurePending(
                f"an erasure in {self.folder} was stopped halfway; nothing was read, and what is "
                "written waits; `ebbing maintain` finishes it"
            )

    def _writable(
        self, connection: duckdb.DuckDBPyConnection, deadline: float, *, is_new: bool
    ) -> duckdb.DuckDBPyConnection:
        """Bring the journal to the newest format, with a copy of the file as it was."""
        found = self._format(connection)
        if found is None and not is_new:
            raise self._without_journal()
        if found == migrations.newest_format():
            return connection
        if found is not None:
            # The file is whole once it is closed; the lock keeps others away meanwhile.
            connection.close()
            self._keep(f"format-{found}")
            connection = self._open(read_only=False, deadline=deadline)
        try:
            migrations.migrate(connection, found or 0)
        except BaseException:
            connection.close()
            raise
        return connection

    def _keep(self, name: str) -> None:
        """Copy the file under a name of its own, whole or not at all."""
        kept = self.path.with_name(f"{FILE_NAME}.{name}")
        partial = kept.with_name(kept.name + ".partial")
        try:
            shutil.copyfile(self.path, partial)
            partial.chmod(0o600)
            sync_file(partial)
            os.replace(partial, kept)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise

    def drop_older_formats(self) -> None:
        """Remove what was kept before the journal's format changed, here or by plain dbt."""
        for kept in self.folder.glob(f"{FILE_NAME}.format-*"):
            kept.unlink(missing_ok=True)
        with self.read() as connection:
            schemas = connection.execute(_KEPT).fetchall()
        if schemas:
            with self.write() as connection:
                for (schema,) in schemas:
                    connection.execute(f"drop schema {schema} cascade")

    def _format(self, connection: duckdb.DuckDBPyConnection) -> int | None:
        """Return the format of the journal, None without one; refuse one of a newer version."""
        try:
            row = connection.execute(_FORMAT).fetchone()
        except duckdb.CatalogException:
            return None
        found = row[0] if row else None
        if found is None:
            return None
        if found.isdecimal() and int(found) <= migrations.newest_format():
            return int(found)
        raise StoreCorrupt(
            f"{self.path} has format {found} and this version reads up to "
            f"{migrations.newest_format()}; "
            "it was not touched; upgrade: pip install --upgrade ebbing"
        )

    def _without_journal(self) -> StoreCorrupt:
        return StoreCorrupt(
            f"{self.path} is a DuckDB file without a journal; it was not touched; "
            "run ebbing init to make it a store, or name another folder"
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
        if isinstance(error, duckdb.PermissionException) and "disabled by conf" in text:
            return StoreCorrupt(
                f"what stands in {self.path} would reach outside of it ({text.split(chr(10))[0]}); "
                "it reached nothing; where you trust what the store says, `ebbing maintain` "
                "builds its models anew"
            )
        if isinstance(error, (duckdb.CatalogException, duckdb.BinderException)):
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
            r"|WAL does not match|replaying WAL"
            # A file of SQLite or the like: DuckDB knows what could open it.
            r"|is an existing extension",
            text,
            re.I,
        ):
            return StoreCorrupt(
                f"{self.path} is not a DuckDB file or is damaged; it was not touched; "
                "`ebbing doctor --repair` makes it anew, or restore a copy"
            )
        return None


def _holder_in(error: BaseException) -> int | None:
    found = _HOLDER.search(str(error))
    return int(found[1]) if found else None


def _busy(holder: int | None, waited: float) -> StoreBusy:
    who = f"process {holder}" if holder is not None else "another process"
    return StoreBusy(
        f"{who} has held the store for {waited:.1f} s; nothing was harmed; "
        "try again when it is done"
    )
