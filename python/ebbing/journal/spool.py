"""The spool: batches of events that wait in files until a writer folds them into the journal."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ebbing import journal
from ebbing.journal import ids
from ebbing.journal.events import Event
from ebbing.store.files import sync_folder

_HEADER = "ebbing_spool"
_VERSION = 1
_SUFFIX = ".jsonl"
# Of a batch that changes nothing of what a recall finds, so that none has to fold it first.
_LOG_SUFFIX = ".log.jsonl"
_REJECTED = ".rejected"
_PARTIAL = ".partial"
# A partial file this old belongs to a writer that died before it acknowledged anything.
_STALE_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that were spooled together.

    With a `namespace` they are a request that must hold of that namespace when it is folded in.
    """

    events: list[Event]
    namespace: str | None = None


class Spool:
    """The folder of waiting batches beside one store."""

    __slots__ = ("folder",)

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made when the first batch comes."""
        self.folder = folder

    def write(
        self, events: Sequence[Event], *, namespace: str | None = None, is_copy: bool = False
    ) -> Path:
        """Leave a batch; when this returns, the batch survives a power cut.

        Not so a copy of what is safe elsewhere, which costs the disk nothing to wait for.
        """
        data = batch_bytes([journal.to_json(event) for event in events], namespace=namespace)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        is_log = all(isinstance(event, (journal.Recall, journal.RecallHit)) for event in events)
        path = self.folder / f"{ids.event_id()}{_LOG_SUFFIX if is_log else _SUFFIX}"
        partial = path.with_suffix(_PARTIAL)
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                if not is_copy:
                    file.flush()
                    os.fsync(file.fileno())
            os.rename(partial, path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
        if not is_copy:
            sync_folder(self.folder)
        return path

    def waiting(self) -> list[Path]:
        """Return the waiting files, in the order in which they came."""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(_SUFFIX))
        except FileNotFoundError:
            return []
        return [self.folder / name for name in names]

    def has_news(self) -> bool:
        """Tell whether something waits that a recall may find; the log of recalls is no news."""
        return any(not path.name.endswith(_LOG_SUFFIX) for path in self.waiting())

    def read(self, path: Path) -> Batch:
        """Read one file; a ValueError or RecursionError says what is wrong with it."""
        if not path.is_file() and os.path.lexists(path):
            raise ValueError("it is no file")
        lines, namespace = batch_lines(path)
        return Batch([journal.from_json(line) for line in lines], namespace)

    def reject(self, path: Path, reason: object) -> None:
        """Set a file aside that cannot be folded, and say so in one line."""
        aside = rejected_name(path)
        os.replace(path, aside)
        detail = " ".join(str(reason).split())[:500]
        with contextlib.suppress(OSError):
            reason_name(path).write_text(detail + "\n", "utf-8")
        # Late, as a hook that only leaves events here says nothing.
        import logging

        logging.getLogger("ebbing").warning(
            "a spooled batch could not be written (%s); the others were written; it is kept as %s",
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


def batch_bytes(lines: Sequence[str], *, namespace: str | None = None) -> bytes:
    """Return what a file of a batch holds: a header, and each event as one line of JSON."""
    header: dict[str, object] = {_HEADER: _VERSION, "events": len(lines)}
    if namespace is not None:
        header["namespace"] = namespace
    return ("\n".join([json.dumps(header), *lines]) + "\n").encode("utf-8")


def batch_lines(path: Path) -> tuple[list[str], str | None]:
    """Return the lines of events of a file and its namespace; a ValueError if it is not whole."""
    text = path.read_text("utf-8")
    lines = text.rstrip("\n").split("\n")
    header = json.loads(lines[0])
    if not isinstance(header, dict) or header.get(_HEADER) != _VERSION:
        raise ValueError("it is not a spool file of this version")
    if header.get("events") != len(lines) - 1 or not text.endswith("\n"):
        raise ValueError("it is cut short")
    namespace = header.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        raise ValueError("its namespace is no text")
    return lines[1:], namespace


def rejected_name(path: Path) -> Path:
    """Return the name under which a file is set aside."""
    return path.with_name(path.name + _REJECTED)


def reason_name(path: Path) -> Path:
    """Return the name of the file that says why a file was set aside."""
    return path.with_name(path.name + ".reason")
