"""Seals: whether a file is still as this user's own programs left it.

A seal is the file's identity, size and times of change, kept in the user's own state folder and
not beside the file: a store that came from somebody else brings none that counts. The time of a
file's last change can't be set by whoever changes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path


def seal(path: Path) -> None:
    """Note that a file is as we left it; where that can't be kept, it is looked at again."""
    with contextlib.suppress(OSError, RuntimeError):
        place = _place(path)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = place.with_name(f"{place.name}.{os.getpid()}")
        partial.write_text(_state(path), "ascii")
        os.replace(partial, place)


def is_sealed(path: Path) -> bool:
    """Tell whether nobody changed a file since it was sealed."""
    try:
        return _place(path).read_text("ascii") == _state(path)
    except (OSError, RuntimeError, UnicodeDecodeError):
        return False


def _state(path: Path) -> str:
    found = path.stat()
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _place(path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return _state_folder() / "seals" / name


def _state_folder() -> Path:
    # What platformdirs says on Linux, without importing it: a hook is waited for.
    if sys.platform == "linux":
        given = os.environ.get("XDG_STATE_HOME", "").strip()
        return (Path(given) if given else Path.home() / ".local" / "state") / "ebbing"
    from platformdirs import user_state_path

    return user_state_path("ebbing", appauthor=False)
