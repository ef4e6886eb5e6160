"""The advisory lock beside a store: many readers or one writer, across threads and processes.

DuckDB lets one read-write process shut out all others at once and without a queue, so every
open-to-close takes this lock first. It is two files, each locked by the kernel, which frees them
when a process dies: the lock itself, and the turn. Whoever comes takes the turn, waits with it
for the lock, and passes the turn on; so a writer that waits stops readers from overtaking it,
and readers that wait stop writers. `filelock.ReadWriteLock` is not used: it waits in SQLite's
growing pauses, so that with six readers and three writers a reader got 2 passes a second and a
writer waited up to 2.6 s; and it cannot read-lock a store in a read-only folder.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

if sys.platform != "win32":
    import fcntl

_SHORTEST_PAUSE = 0.002
_LONGEST_PAUSE = 0.010


class StoreLock:
    """One hold, or the wait for one; made anew each time, so that threads exclude each other."""

    __slots__ = ("_descriptor", "_exclusive", "_path")

    def __init__(self, path: Path, *, exclusive: bool) -> None:
        """Name the lock's file, and whether it is for a writer."""
        self._path = path
        self._exclusive = exclusive
        self._descriptor: int | None = None

    @property
    def exclusive(self) -> bool:
        """Whether this is a writer's lock."""
        return self._exclusive

    def acquire(self, deadline: float, *, give_up: Callable[[], bool] | None = None) -> bool:
        """Wait until `time.monotonic()` is past the deadline; tell whether the lock was got.

        At least one attempt is made. When `give_up` returns True, the wait ends early.
        """
        turn = self._open(self._path.with_suffix(".turn"))
        try:
            if not _wait(lambda: _try(turn, exclusive=True), deadline, give_up):
                return False
            return _wait(self._try_lock, deadline, give_up)
        finally:
            _close(turn)

    def release(self) -> None:
        """Let go; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if self._exclusive:
            _write_holder(descriptor, "")
        _close(descriptor)

    def holder(self) -> int | None:
        """Return the process that holds the lock for writing, if it is known and alive."""
        if sys.platform == "win32":
            return None
        try:
            holder = int(self._path.read_text("ascii"))
            os.kill(holder, 0)
        except (OSError, ValueError):
            return None
        return holder

    def _try_lock(self) -> bool:
        descriptor = self._open(self._path)
        if not _try(descriptor, exclusive=self._exclusive):
            _close(descriptor)
            return False
        if not self._is_current(descriptor):
            # Somebody removed the file meanwhile: this lock would exclude nobody.
            _close(descriptor)
            return False
        self._descriptor = descriptor
        if self._exclusive:
            _write_holder(descriptor, str(os.getpid()))
        return True

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _open(self, path: Path) -> int:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            # A reader in a read-only folder can still lock a file that is there.
            if self._exclusive or not path.exists():
                raise
            return os.open(path, os.O_RDONLY)


def _wait(attempt: Callable[[], bool], deadline: float, give_up: Callable[[], bool] | None) -> bool:
    while not attempt():
        if time.monotonic() >= deadline or (give_up is not None and give_up()):
            return False
        # The same short pause for all, whether they came early or late: each has an equal chance.
        time.sleep(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))
    return True


def _try(descriptor: int, *, exclusive: bool) -> bool:
    if exclusive or sys.platform == "win32":
        return lock_descriptor(descriptor, blocking=False)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _close(descriptor: int) -> None:
    # A forked child may still hold a copy of the descriptor: closing alone would not unlock.
    with contextlib.suppress(OSError):
        unlock_descriptor(descriptor)
    os.close(descriptor)


def _write_holder(descriptor: int, holder: str) -> None:
    if sys.platform == "win32":
        return
    # For the error message of those who wait; on a full disk they do without.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode("ascii"), 0)
