"""One hook as a process: it is over within its budget and exits 0, whatever happens."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from ebbing.errors import EbbingError
from ebbing.safety.display import visible_line

if TYPE_CHECKING:
    from ebbing.hooks.options import HookOptions

# More than any event that an agent sends; what is longer is no event.
_MOST_INPUT = 64_000_000

_reasons = 2


def run_process(arguments: Sequence[str]) -> NoReturn:
    """Run one hook from its command line; does not return."""
    try:
        from ebbing.hooks.options import parse_arguments

        options = parse_arguments(arguments)
    except BaseException as error:
        _end("", _said(error))
    run_options(options)


def run_options(options: HookOptions) -> NoReturn:
    """Run one hook: event on standard input, answer on standard output, one line of reason."""
    output, reason = "", None
    # A thread of its own ends the process: whatever the main one waits for, it can't object.
    watchdog = threading.Timer(options.budget, _give_up, (options.hook, options.budget))
    watchdog.daemon = True
    try:
        watchdog.start()
        _silence()
        from ebbing.hooks.running import run

        done = run(options, _event(options.payload))
        output, reason = done.output, done.reason
    except BaseException as error:
        reason = _said(error)
    watchdog.cancel()
    _end(output, reason)


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, EbbingError) else f"{type(error).__name__}: {error}"


def _give_up(hook: str, budget: float) -> None:
    _end("", f"{hook} took longer than its {budget:g} s; nothing was injected; the session goes on")


def _end(output: str, reason: str | None) -> NoReturn:
    try:
        if reason:
            line = visible_line(reason)[:500]
            with contextlib.suppress(OSError):
                os.write(_reasons, f"ebbing: {line}\n".encode("utf-8", "replace"))
        data = output.encode("utf-8", "replace")
        # Where nobody listens any more, that is no concern of the agent's.
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(1, data) :]
    finally:
        # Without the interpreter's own farewells, which cost as much as a small hook.
        os._exit(0)


def _event(payload: str | None) -> bytes:
    if payload is not None:
        return payload.encode("utf-8", "surrogateescape")
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read(_MOST_INPUT)


def _silence() -> None:
    """Leave standard error to the one line of reason, whatever libraries have to say."""
    global _reasons
    with contextlib.suppress(OSError):
        _reasons = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
