"""Until when redaction may look closely; apart from it, as most hooks redact nothing."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Generator
from contextvars import ContextVar
from types import FrameType

_deadline: ContextVar[float | None] = ContextVar("redaction_deadline", default=None)


class Late(Exception):
    """The time for redaction is over."""


@contextlib.contextmanager
def redaction_until(deadline: float) -> Generator[None]:
    """Redact coarsely what is still to be redacted at `deadline`, a `time.monotonic()`."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def check() -> None:
    """Raise `Late` if there is a deadline, and it is over."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        raise Late


@contextlib.contextmanager
def interrupting() -> Generator[None]:
    """Raise `Late` at the deadline, in the middle of a pattern too.

    A pattern that runs lets no other thread run, and looks for signals, which reach the main one.
    """
    deadline = _deadline.get()
    is_main = threading.current_thread() is threading.main_thread()
    if deadline is None or not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    check()
    before = signal.signal(signal.SIGALRM, _raise_late)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), 1e-6))
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def _raise_late(number: int, frame: FrameType | None) -> None:
    raise Late
