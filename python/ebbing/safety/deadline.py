"""Until when redaction may look closely; apart from it, as most hooks redact nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("redaction_deadline", default=None)


@contextlib.contextmanager
def redaction_until(deadline: float) -> Generator[None]:
    """Redact coarsely what is still to be redacted at `deadline`, a `time.monotonic()`."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def is_past() -> bool:
    """Tell whether the deadline, if there is one, is over."""
    deadline = _deadline.get()
    return deadline is not None and time.monotonic() > deadline
