"""Maintenance in the background, after a session: one at a time, and nothing asked for is lost.

Whoever asks leaves a note and starts a process. The one that gets the lock maintains until no note
is left; the others see that the lock is taken and are gone.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from ebbing.hooks.state import state_folder

_NOTE = "maintenance.wanted"
_LOCK = "maintenance.lock"
_STARTED = "maintenance.started"
_LONGEST_WAIT = 120.0
_MOST_ROUNDS = 3


def start_maintenance(store_folder: Path, *, not_before: float = 0.0) -> bool:
    """Start maintenance without waiting for it; tell whether a process was started.

    With `not_before`, only if the last one was started more than so many seconds ago.
    """
    folder = state_folder(store_folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    started = folder / _STARTED
    with contextlib.suppress(OSError):
        if not_before and time.time() - started.stat().st_mtime < not_before:
            return False
    (folder / _NOTE).touch(mode=0o600)
    started.touch(mode=0o600)
    os.utime(started)
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    # It outlives the agent, hears nothing of its terminal, and keeps none of its pipes open.
    subprocess.Popen(
        # Neither the store's folder nor that of the project: Python would import what lies there.
        [sys.executable, "-P", "-m", "ebbing.hooks.background", str(store_folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=store_folder.anchor or None,
        close_fds=True,
        start_new_session=True,
        creationflags=flags,
    )
    return True


def maintain_while_wanted(store_folder: Path) -> int:
    """Maintain the store as long as somebody wants it; return how often it was done."""
    from filelock import FileLock, Timeout

    from ebbing.memory import Memory

    folder = state_folder(store_folder)
    lock = FileLock(folder / _LOCK, timeout=0, mode=0o600)
    rounds = 0
    try:
        with lock:
            while rounds < _MOST_ROUNDS and (folder / _NOTE).exists():
                (folder / _NOTE).unlink(missing_ok=True)
                Memory(store_folder, budget=_LONGEST_WAIT).maintain()
                rounds += 1
    except Timeout:
        return rounds
    return rounds


def main() -> None:
    """Run as a process of its own, behind whatever else the machine does."""
    os.umask(0o077)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    # What goes wrong is found by `ebbing doctor` and by the next `ebbing maintain`.
    with contextlib.suppress(Exception):
        maintain_while_wanted(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
