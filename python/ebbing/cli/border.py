"""The border between a command and the shell: one line for whatever goes wrong, an exit code."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from ebbing.safety.display import visible_line

INTERRUPTED = 130
TERMINATED = 143

_TRACEBACK = "EBBING_TRACEBACK"


class Terminated(KeyboardInterrupt):
    """The system asked the process to end, which is an interruption like a user's."""


def run_to_exit_code(command: Callable[[], object]) -> int:
    """Run a command; print what ended it early as one line, and return the exit code."""
    _let_streams_print_anything()
    _take_signals()
    try:
        code = command()
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt as error:
        _end_at_once(error)
    except click.Abort as error:
        # Click's word for Ctrl-C too, unless a question was answered with no.
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            _end_at_once(error.__cause__ or error.__context__)
        return _failed("aborted; nothing was changed", 1)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "ebbing"
        return _failed(f"{error.format_message()} See `{path} --help`.", error.exit_code)
    except click.ClickException as error:
        return _failed(error.format_message(), error.exit_code)
    except BrokenPipeError:
        # Whoever read the output has had enough.
        _abandon_output()
        return 1
    except OSError as error:
        _abandon_output()
        return _failed(f"{_said(error)}; what was acknowledged is kept", 1)
    except Exception as error:
        if _received:
            _end_at_once(None)
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        return _failed(
            f"this should not happen: {type(error).__name__}: {_said(error)}; what was "
            f"acknowledged is kept; report it, with what {_TRACEBACK}=1 shows",
            1,
        )
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int) -> int:
    with suppress(OSError):
        click.echo(f"Error: {visible_line(message)}", err=True)
    return code


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{place}"
    return str(error)[:500]


def _let_streams_print_anything() -> None:
    # A terminal of another encoding shows a question mark where it lacks a character.
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="replace")


def _abandon_output() -> None:
    """Send what can't be written nowhere, so that the interpreter doesn't try again at its end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


# Signals

_received: list[int] = []


def _take_signals() -> None:
    # Only the main thread may; a test runner's thread, say, may not.
    with suppress(ValueError):
        signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    _received.append(number)
    raise Terminated


def _end_at_once(error: BaseException | None) -> NoReturn:
    """End an interrupted process: nobody waits for its threads, and nothing more is said."""
    # Who is impatient and interrupts again is told once.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    is_asked = bool(_received) or isinstance(error, Terminated)
    what = "ended by the system" if is_asked else "interrupted"
    _failed(f"{what}; what was acknowledged is kept; run the command again", 1)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(TERMINATED if is_asked else INTERRUPTED)
