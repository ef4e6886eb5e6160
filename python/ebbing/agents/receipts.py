"""What was inserted where in an agent's files, so that removal restores the very bytes.

A receipt holds places and lengths, the hash of the file as it was left, and nothing that stood in
it. It counts only while the file is as it was left; otherwise entries are found by what they are.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ebbing.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """How one file was changed: `insertions` are places and lengths, in the order made."""

    sha256: str
    insertions: tuple[tuple[int, int], ...]
    is_created: bool
    folders: tuple[str, ...] = ()
    """Folders that were made for it, the innermost first."""

    def fits(self, data: bytes | None) -> bool:
        """Tell whether a file is as it was left."""
        return data is not None and digest(data) == self.sha256

    def undo(self, text: str) -> str:
        """Return the text as it was before."""
        for at, length in reversed(self.insertions):
            text = text[:at] + text[at + length :]
        return text


class Receipts:
    """The receipts of one store: a small file beside it."""

    def __init__(self, store_folder: Path) -> None:
        """Name the store's folder; nothing is read yet."""
        self._path = store_folder / "agents.json"

    def load(self) -> dict[str, Receipt]:
        """Return the receipts by path; an unreadable file is an empty one."""
        try:
            value = json.loads(self._path.read_text("utf-8"))
            return {
                str(path): Receipt(
                    sha256=str(item["sha256"]),
                    insertions=tuple((int(at), int(length)) for at, length in item["insertions"]),
                    is_created=bool(item["is_created"]),
                    folders=tuple(str(folder) for folder in item["folders"]),
                )
                for path, item in value.items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}

    def save(self, receipts: dict[str, Receipt]) -> None:
        """Replace the file, or remove it with the last receipt; without a store, do nothing."""
        if not receipts:
            self._path.unlink(missing_ok=True)
            return
        if not self._path.parent.is_dir():
            return
        value = {path: asdict(receipt) for path, receipt in sorted(receipts.items())}
        write_whole(self._path, json.dumps(value, indent=1).encode("utf-8"), mode=0o600)


def digest(data: bytes) -> str:
    """Return the hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def insertions(before: str, after: str) -> tuple[tuple[int, int], ...]:
    """Return places and lengths of what was inserted, in the order in which to insert it."""
    found: list[tuple[int, int]] = []
    kept, at = 0, 0
    while at < len(after):
        start = at
        while at < len(after) and (kept == len(before) or after[at] != before[kept]):
            at += 1
        if at > start:
            found.append((start, at - start))
        while at < len(after) and kept < len(before) and after[at] == before[kept]:
            at, kept = at + 1, kept + 1
    if kept < len(before):
        raise InputError("it is written in a way that can't be added to safely; edit it by hand")
    return tuple(found)


def write_whole(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace a file in one step, through a symbolic link, with the permissions that it has."""
    target = Path(os.path.realpath(path))
    if mode is None and target.exists():
        mode = target.stat().st_mode & 0o7777
    partial = target.with_name(f".{target.name}.{os.getpid()}.ebbing")
    try:
        descriptor = os.open(
            partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            partial.chmod(mode)
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
