"""The console script: hooks go straight to their own small program, all else to the command line.

An agent runs a hook several times in each turn and waits for it, so a hook loads neither click nor
the commands.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

# Until there is somebody to say it in one line, an interrupt ends the process without a word.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Run what the command line asks for; does not return."""
    # Whatever this process makes, a write-ahead log or a folder of dbt's, is the user's alone.
    os.umask(0o077)
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and os.environ.get("EBBING_OFF"):
        # An agent that ebbing itself has asked something has no session to be remembered.
        os._exit(0)
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):
        from ebbing.hooks.process import run_process

        run_process(arguments[1:])
    if arguments[:1] == ["maintain"]:
        # Whoever asks or writes meanwhile goes first; maintenance has time.
        with contextlib.suppress(OSError, AttributeError):
            os.nice(10)
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        from ebbing.cli import main as command_line
    except KeyboardInterrupt:
        os.write(2, b"Error: interrupted; nothing was begun\n")
        os._exit(130)
    try:
        command_line(prog_name="ebbing")
    finally:
        # From here on the interpreter only tidies up; whoever is impatient may end it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
