"""The console script: hooks go straight to their own small program, all else to the command line.

An agent runs a hook several times in each turn and waits for it, so a hook loads neither click nor
the commands.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run what the command line asks for; does not return."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):
        from ebbing.hooks.process import run_process

        run_process(arguments[1:])
    from ebbing.cli import main as command_line

    command_line(prog_name="ebbing")
