"""The spool: batches of events that wait in files until a writer folds them into the journal."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path

from ebbing import ids, journal
from ebbing.journal import Event

_logger = logging.getLogger("ebbing")

_HEADER = "ebbing_spool"
_VERSION = 1
_SUFFIX = ".jsonl"
_REJECTED = ".rejected"
_PARTIAL = ".partial"
# A partial file this old belongs to a writer that died before it acknowledged anything.
_STALE_SECONDS = 86_400


class Spool:
    """The folder of waiting batches beside one store."""

    __slots__ = ("folder",)

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made when the first batch comes."""
        self.folder = folder

    def write(self, events: Sequence[Event]) -> Path:
        """Leave a batch; when this returns, the batch survives a power cut."""
        header = json.dumps({_HEADER: _VERSION, "events": len(events)})
        lines = [header, *(journal.to_json(event) for event in events)]
        data = ("\n".join(lines) + "\n").encode("utf-8")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        path = self.folder / f"{ids.event_id()}{_SUFFIX}"
        partial = path.with_suffix(_PARTIAL)
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.rename(partial, path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
        sync_folder(self.folder)
        return path

    def waiting(self) -> list[Path]:
        """Return the waiting files, in the order in which they came."""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(_SUFFIX))
        except FileNotFoundError:
            return []
        return [self.folder / name for name in names]

    def read(self, path: Path) -> list[Event]:
        """Read one file; a ValueError says what is wrong with it."""
        lines = path.read_text("utf-8").rstrip("\n").split("\n")
        header = json.loads(lines[0])
        if not isinstance(header, dict) or header.get(_HEADER) != _VERSION:
            raise ValueError("it is not a spool file of this version")
        if header.get("events") != len(lines) - 1:
            raise ValueError("it is cut short")
        return [journal.from_json(line) for line in lines[1:]]

    def reject(self, path: Path, reason: object) -> None:
        """Set a file aside that cannot be folded, and say so in one line."""
        aside = rejected_name(path)
        os.replace(path, aside)
        detail = " ".join(str(reason).split())[:200]
        _logger.warning(
            "a spooled batch could not be read (%s); the others were written; it is kept as %s",
            detail,
            aside,
        )

    def discard(self, path: Path) -> None:
        """Remove a batch whose events are in the journal, or that was never acknowledged."""
        with contextlib.suppress(FileNotFoundError):
            path.unlink()

    def sweep(self) -> None:
        """Remove partial files left by writers that died long ago."""
        for partial in self.folder.glob(f"*{_PARTIAL}"):
            with contextlib.suppress(OSError):
                if time.time() - partial.stat().st_mtime > _STALE_SECONDS:
                    partial.unlink()


def rejected_name(path: Path) -> Path:
    """Return the name under which a file is set aside."""
    return path.with_name(path.name + _REJECTED)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
