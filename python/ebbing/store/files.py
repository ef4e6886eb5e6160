"""Files that are whole or not there, that survive a power cut, and that only the user can read."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

_WORK = "work"
_LOCK = "lock"
_WORKPLACE = re.compile("(build|erase|look|replay)-[a-z0-9_]{8}")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can do that."""
    if os.name == "nt":
        return
    _sync(folder, os.O_RDONLY)


def sync_file(path: Path) -> None:
    """Make what a file holds survive a power cut."""
    _sync(path, os.O_RDWR)


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file under another name, and give it its own once it is on disk."""
    partial = path.with_name(path.name + ".partial")
    with open(partial, "wb", opener=private) as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, path)
    sync_folder(path.parent)


def touch(path: Path) -> None:
    """Make an empty file, or one that is there newer."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(path)


def private(path: str, flags: int) -> int:
    """Open a file as `open` does, a new one for the user alone."""
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def workplace(folder: Path, purpose: str) -> Iterator[Path]:
    """Yield a new folder beside a store, for a copy of it; it is removed at the end.

    While it is in use, a lock in it says so: what a process that died left is told by that.
    """
    import shutil

    from filelock import unlock_descriptor

    (folder / _WORK).mkdir(mode=0o700, exist_ok=True)
    place, descriptor = _locked_folder(folder / _WORK, purpose)
    try:
        yield place
    finally:
        unlock_descriptor(descriptor)
        os.close(descriptor)
        shutil.rmtree(place, ignore_errors=True)
        with contextlib.suppress(OSError):
            (folder / _WORK).rmdir()


def abandoned_workplaces(folder: Path) -> list[Path]:
    """Return the folders that processes left that are no more.

    A store may lie where a user has a folder `work` of their own: what we did not make stays.
    """
    return [
        place
        for place in sorted((folder / _WORK).glob("*-*"))
        if _is_ours(place) and not _is_in_use(place)
    ]


def _is_ours(place: Path) -> bool:
    if not _WORKPLACE.fullmatch(place.name) or place.is_symlink() or not place.is_dir():
        return False
    # Killed between the two, a process leaves the folder without its lock.
    return (place / _LOCK).is_file() or not any(place.iterdir())


def remove_abandoned_workplaces(folder: Path) -> None:
    """Remove what processes left that are no more."""
    import shutil

    for place in abandoned_workplaces(folder):
        shutil.rmtree(place, ignore_errors=True)
    with contextlib.suppress(OSError):
        (folder / _WORK).rmdir()


# What locks and copies need is loaded late: who only puts events into the spool has no use for it.
def _locked_folder(work: Path, purpose: str) -> tuple[Path, int]:
    import tempfile

    from filelock import lock_descriptor

    while True:
        place = Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=work))
        try:
            descriptor = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            # Somebody took the empty folder for one that was left.
            continue
        if lock_descriptor(descriptor, blocking=False):
            return place, descriptor
        os.close(descriptor)


def _is_in_use(place: Path) -> bool:
    from filelock import lock_descriptor, unlock_descriptor

    try:
        descriptor = os.open(place / _LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        if not lock_descriptor(descriptor, blocking=False):
            return True
        unlock_descriptor(descriptor)
        return False
    finally:
        os.close(descriptor)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
