"""Maintenance in the background, after a session: one at a time, and nothing asked for is lost.

Whoever asks leaves a note and starts a process. The one that gets the lock maintains until no note
is left; the others see that the lock is taken and are gone. Who asks often says how long to leave
between: the process then waits for that moment, and takes in whatever has been asked for until it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ebbing.hooks.state import state_folder

BETWEEN_MAINTENANCE = 900.0
"""Seconds from one to the next, where it is asked for after each turn or write."""

_NOTE = "maintenance.wanted"
_LOCK = "maintenance.lock"
_STARTED = "maintenance.started"
_LONGEST_WAIT = 120.0
_MOST_ROUNDS = 3


def start_maintenance(store_folder: Path, *, interval: float = 0.0) -> bool:
    """Start maintenance without waiting for it; tell whether a process was started.

    It begins `interval` seconds after the last one began, at the earliest. No process is started
    for a note that one waits with already.
    """
    folder = state_folder(store_folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    wait = max(_last_start(folder) + interval - time.time(), 0.0) if interval else 0.0
    note = folder / _NOTE
    if wait and _is_recent(note, interval):
        return False
    note.touch(mode=0o600)
    os.utime(note)
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    # It outlives the agent, hears nothing of its terminal, and keeps none of its pipes open.
    subprocess.Popen(
        # Neither the store's folder nor that of the project: Python would import what lies there.
        [sys.executable, "-P", "-m", "ebbing.hooks.background", str(store_folder), f"{wait:.0f}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=store_folder.anchor or None,
        close_fds=True,
        start_new_session=True,
        creationflags=flags,
    )
    return True


def starter(store_folder: Path) -> Callable[[], None]:
    """Return what starts maintenance now and then, beside whatever its caller goes on with."""

    def start() -> None:
        with contextlib.suppress(OSError):
            start_maintenance(store_folder, interval=BETWEEN_MAINTENANCE)

    return lambda: threading.Thread(target=start, daemon=True).start()


def maintain_while_wanted(store_folder: Path) -> int:
    """Maintain the store as long as somebody wants it; return how often it was done."""
    from filelock import FileLock, Timeout

    from ebbing.memory import Memory

    folder = state_folder(store_folder)
    lock = FileLock(folder / _LOCK, timeout=0, mode=0o600)
    started = folder / _STARTED
    rounds = 0
    try:
        with lock:
            while rounds < _MOST_ROUNDS and (folder / _NOTE).exists():
                (folder / _NOTE).unlink(missing_ok=True)
                started.touch(mode=0o600)
                os.utime(started)
                Memory(store_folder, budget=_LONGEST_WAIT).maintain()
                rounds += 1
    except Timeout:
        return rounds
    return rounds


def _last_start(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / _STARTED).stat().st_mtime
    return 0.0


def _is_recent(note: Path, interval: float) -> bool:
    """Tell whether a process waits with this note; an older one was left by one that died."""
    with contextlib.suppress(OSError):
        return time.time() - note.stat().st_mtime < interval
    return False


def main() -> None:
    """Run as a process of its own, behind whatever else the machine does."""
    os.umask(0o077)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    time.sleep(float(sys.argv[2]))
    # What goes wrong is found by `ebbing doctor` and by the next `ebbing maintain`.
    with contextlib.suppress(Exception):
        maintain_while_wanted(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
