"""Build aside and swap: a store is rebuilt in a copy, which then takes its place in one step.

Readers answer from the store as it is, writers append to it; what they append meanwhile is brought
over before the copy takes the store's place. A copy that was left by a kill is of no use to anybody
and goes with the next one.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO

import duckdb

from ebbing import journal
from ebbing.errors import StoreBusy, StoreError
from ebbing.safety.seals import seal
from ebbing.store.files import remove_abandoned_workplaces, sync_file, sync_folder, workplace
from ebbing.store.foreign_code import is_ours
from ebbing.store.location import FILE_NAME
from ebbing.store.lock import StoreLock
from ebbing.store.store import STORAGE_VERSION, Store

_LOCK = "maintenance.lock"

_BLOCKS = """
    select total_blocks, free_blocks
    from pragma_database_size()
    where database_name = current_database()
"""

_logger = logging.getLogger("ebbing")

# How long one maintenance waits for another, which may build for minutes.
_LONGEST_WAIT = 600.0
# More events than these are brought over before the store is held for the swap.
_MANY = 200


@contextlib.contextmanager
def maintenance(store: Store) -> Generator[None]:
    """Hold what only one at a time may do: maintenance, an import, a change of model, an erasure.

    What an earlier one left when it was killed is removed.
    """
    store.make_folder()
    lock = StoreLock(store.folder / _LOCK, exclusive=True)
    if not lock.acquire(time.monotonic() + _LONGEST_WAIT):
        raise StoreBusy(
            f"process {lock.holder() or '?'} has maintained the store for {_LONGEST_WAIT:.0f} s; "
            "nothing was harmed; try again when it is done"
        )
    try:
        remove_abandoned_workplaces(store.folder)
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def aside(store: Store) -> Generator[Aside]:
    """Copy a store, or begin a new one; put it in the store's place when the body is done.

    The caller holds the maintenance. A body that fails leaves the store as it is.
    """
    with workplace(store.folder, "build") as folder:
        work = Aside(store, folder)
        work.begin()
        yield work
        work.take_place()


class Aside:
    """A store and its copy, while the copy is built."""

    def __init__(self, store: Store, folder: Path) -> None:
        """Name the store, and an empty folder for its copy; `begin` makes it."""
        self.store = store
        self.copy = Store(folder, budget=store.budget)
        self._position = 0
        self._is_ours = True
        self._file: os.stat_result | None = None

    def begin(self) -> None:
        """Copy the store as it is, its spool folded."""
        if not self.store.exists():
            self.copy.create()
            return
        with self.store.write() as connection:
            self.store.fold_spool(connection)
        # Open as well, so that no program that knows nothing of our lock can write; and opened
        # after the file, since closing that would let go of what DuckDB holds.
        with (
            self.store.held(exclusive=False),
            self.store.path.open("rb") as source,
            self.store.read() as connection,
        ):
            self._position = journal.position(connection)
            self._is_ours = is_ours(self.store.path)
            self._file = os.fstat(source.fileno())
            _copy(source, self.copy.path)
            log = _log(self.store.path)
            if log.exists():
                shutil.copyfile(log, _log(self.copy.path))
        self.copy.path.chmod(0o600)
        if self.store.mirror.exists():
            # Only what is appended to the copy is new to it.
            self.copy.mirror.begin()

    def catch_up(self) -> int:
        """Bring over what was appended to the store meanwhile; return the number of events."""
        if not self.store.exists():
            return 0
        with self.store.read() as connection:
            events = journal.events_after(connection, self._position)
            self._position = max(self._position, journal.position(connection))
        # The copy has its own.
        events = [event for event in events if not event.is_own]
        self.copy.append(events)
        return len(events)

    def compact(self) -> None:
        """Write the copy anew where more than a quarter of its blocks are free."""
        with self.copy.read() as connection:
            total, free = connection.execute(_BLOCKS).fetchall()[0]
        if free * 4 <= total:
            return
        fresh = self.copy.folder / "compact.duckdb"
        try:
            with contextlib.closing(duckdb.connect(str(self.copy.path))) as connection:
                quoted = str(fresh).replace("'", "''")
                connection.execute(
                    f"attach '{quoted}' as fresh (storage_version '{STORAGE_VERSION}')"
                )
                connection.execute("copy from database memory to fresh")
                connection.execute("detach fresh")
        except duckdb.Error as error:
            # It takes more of the disk than it must, and is whole.
            _logger.warning("the store was not compacted (%s)", " ".join(str(error).split())[:200])
            fresh.unlink(missing_ok=True)
            return
        os.replace(fresh, self.copy.path)
        self.copy.path.chmod(0o600)

    def take_place(self) -> None:
        """Put the copy in the store's place; at every moment one whole store stands there."""
        self.compact()
        while self.catch_up() > _MANY:
            continue
        # The bulk goes to the disk before anybody has to wait for it.
        if self.copy.exists():
            sync_file(self.copy.path)
        with self.store.held(must_exist=False):
            if self.store.exists():
                self._settle_log()
                # Open meanwhile, so that no program that knows nothing of our lock can write.
                with self.store.read():
                    self._require_same_file()
                    self.catch_up()
                    if os.name != "nt":
                        self._replace()
            # Windows replaces no file that is open.
            if self.copy.exists():
                self._replace()

    def _settle_log(self) -> None:
        """Write what only the log holds into the file: it would be taken for the copy's."""
        if _log(self.store.path).exists():
            with self.store.write() as connection:
                connection.execute("checkpoint")

    def _require_same_file(self) -> None:
        # Erased, or restored from elsewhere: the copy holds what should not come back.
        if self._file is None or not os.path.samestat(self._file, self.store.path.stat()):
            raise StoreError(
                f"another program has replaced {self.store.path} meanwhile; "
                "it is as that program left it; run this again"
            )

    def _replace(self) -> None:
        if self.copy.spool.waiting():
            with self.copy.write() as connection:
                self.copy.fold_spool(connection)
        if _log(self.copy.path).exists() or _log(self.store.path).exists():
            raise StoreBusy(
                f"another program keeps {self.store.folder} open; nothing was harmed; "
                "try again when it is done"
            )
        sync_file(self.copy.path)
        os.replace(self.copy.path, self.store.path)
        sync_folder(self.store.folder)
        self.store.mirror.adopt(self.copy.mirror)
        if self._is_ours:
            seal(self.store.path)


def _log(file: Path) -> Path:
    return file.with_name(FILE_NAME + ".wal")


def _copy(source: BinaryIO, target: Path) -> None:
    """Copy a file's bytes; where the system can, without moving them."""
    with target.open("xb") as copy:
        for size in _copied_by_the_kernel(source, copy):
            if not size:
                return
        shutil.copyfileobj(source, copy, 1 << 24)


def _copied_by_the_kernel(source: BinaryIO, copy: BinaryIO) -> Iterator[int]:
    with contextlib.suppress(AttributeError, OSError):
        while True:
            yield os.copy_file_range(source.fileno(), copy.fileno(), 1 << 30)
