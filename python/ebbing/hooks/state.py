"""What the hooks of one session leave for one another: small files beside the store.

They hold places in transcripts, hashes of what was shown, and redacted requests of tools that
failed; losing one costs a repetition and no memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_KEPT_SECONDS = 30 * 86_400
_MOST_FAILURES = 20
_MOST_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """A command that failed and has not been followed by one like it that worked; redacted."""

    command: str
    reason: str
    error_class: str
    message_id: str | None


@dataclass(slots=True)
class SessionState:
    """What one session's hooks know of each other."""

    path: Path
    is_started: bool = False
    """Whether the session has been given what it begins with."""
    shown: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @classmethod
    def load(cls, folder: Path, session_id: str) -> SessionState:
        """Read a session's state; an unreadable one is an empty one."""
        state = cls(folder / f"{short_hash(session_id)}.session.json")
        value: Any = read_json(state.path)
        with contextlib.suppress(KeyError, TypeError):
            shown = [str(item) for item in value["shown"]]
            failures = [Failure(**item) for item in value["failures"]]
            state.shown, state.failures = shown, failures
            state.is_started = value["is_started"] is True
        return state

    def was_shown(self, memory_id: str) -> bool:
        """Tell whether this session has been given a memory already."""
        return self._mark(memory_id) in self.shown

    def show(self, memory_id: str) -> None:
        """Note that a memory was given; by hash, so that an erased one leaves no id here."""
        self.shown.append(self._mark(memory_id))

    def save(self) -> None:
        """Write the state, or remove its file when there is nothing to say."""
        failures = self.failures[-_MOST_FAILURES:]
        if not self.is_started and not self.shown and not failures:
            self.path.unlink(missing_ok=True)
            return
        write_json(
            self.path,
            {
                "is_started": self.is_started,
                "shown": self.shown[-_MOST_SHOWN:],
                "failures": [asdict(one) for one in failures],
            },
        )

    def _mark(self, memory_id: str) -> str:
        return short_hash(f"{self.path.name}\x1f{memory_id}")


def state_folder(store_folder: Path) -> Path:
    """Return where the hooks of a store keep their state."""
    return store_folder / "hooks"


def short_hash(text: str) -> str:
    """Return a name for a text that says nothing of it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_json(path: Path) -> dict[str, object]:
    """Read a small file of JSON; anything unreadable is empty."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: dict[str, object]) -> None:
    """Replace a small file whole, for the user's eyes alone."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def is_running(process: int) -> bool:
    """Tell whether there is such a process, as far as the system says."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError, TypeError):
        return False
    except PermissionError:
        return True
    return True


def sweep(folder: Path) -> None:
    """Remove the state of sessions that are long over."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _KEPT_SECONDS:
                    path.unlink()
