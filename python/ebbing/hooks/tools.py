"""Corrections of commands: one failed, and the same one put otherwise worked.

Read from a session's transcript when a turn ends. A pair counts only if nothing but the command
can have made the difference: the same program and subcommand with other arguments, or the same
arguments under a program that exists; nothing was edited or installed in between, and what went
wrong is not in the output of what worked. It becomes a memory of the kind `correction`, by the
method `inferred`: a candidate that has to prove useful or fades like any other. What such a memory
is worth is in the seeds `memory_kinds` and `memory_methods`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ebbing.hooks.commands import Command, is_near, parse
from ebbing.hooks.state import Failure
from ebbing.ingest.items import ToolCall

_REASON_CHARACTERS = 200
_MOST_FAILURES = 20
_EDITS = re.compile(r"edit|write|patch|replace|create|notebook|insert", re.IGNORECASE)
# The command itself was wrong, whatever has been done since.
_MISSING = re.compile(
    r"command not found|: not found|no such file or directory|not recognized|cannot find module"
    r"|permission denied|no module named|executable file not found|is not installed|use \w+ instead"
    r"|externally-managed|(?:did|does) not (?:match|contain)|not found:"
    r"|(?:can't|cannot|could not) (?:find|open)",
    re.IGNORECASE,
)
_MISUSED = re.compile(
    r"(?:un(?:known|recognized|recognised|supported)|invalid|illegal|no such|missing|ambiguous)"
    r" (?:sub)?(?:command|option|argument|choice|flag|script|task|switch|target)"
    r"|is not a \w+ command|no rule to make target|did you mean|\busage:|requires? an argument"
    r"|unexpected argument",
    re.IGNORECASE,
)
_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\b[EF]\d{3,4}\b|\bE[A-Z]{4,}\b|\bTS\d{4}\b")
_FRAME = re.compile(
    r"(?:error:\s*)?(?:command )?(?:process )?(?:exit(?:ed with)? (?:code|status)"
    r"|exited with (?:code|non-zero status code)|wall time|chunk id|original token count|command:"
    r"|directory:|error: \(none\)|signal:|process group|traceback|</?untrusted_context"
    r"|to https?:|npm (?:err!|error) code).*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:output|stderr|error):\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Correction:
    """A command that failed, why, and the one that worked in its place."""

    failed: str
    reason: str
    worked: str
    message_id: str | None

    @property
    def text(self) -> str:
        """What is remembered of it."""
        why = f" ({self.reason})" if self.reason else ""
        return f"`{self.failed}` failed{why}; `{self.worked}` worked."


def corrections(calls: Iterable[ToolCall], failures: list[Failure]) -> Iterator[Correction]:
    """Yield the corrections among calls in their order.

    `failures` are those still open, of turns before too; it is changed.
    """
    for call in calls:
        command = parse(call.command)
        if call.is_failure:
            if command is not None and not command.only_looks:
                reason = _reason(call.output)
                failures.append(Failure(call.command, reason, _class(call.output), call.message_id))
                del failures[:-_MOST_FAILURES]
        elif command is None:
            if call.command or _EDITS.search(call.tool):
                _forget_uncertain(failures)
        elif not command.only_looks:
            yield from _corrected(command, call, failures)


def _corrected(command: Command, call: ToolCall, failures: list[Failure]) -> Iterator[Correction]:
    for failure in reversed(failures):
        before = parse(failure.command)
        if before is None or not _is_again(before, command, failure):
            continue
        failures[:] = [one for one in failures if not _is_like(one, before, command)]
        # The same words worked at last: something else was put right, and nobody knows what.
        if before.words != command.words and not _persists(failure, call.output):
            yield Correction(failure.command, failure.reason, call.command, failure.message_id)
        return
    _forget_uncertain(failures)


def _is_again(before: Command, after: Command, failure: Failure) -> bool:
    """Tell whether a command is another attempt at what failed."""
    if before.words == after.words:
        return True
    is_wrong = bool(_MISUSED.search(failure.reason) or _MISSING.search(failure.reason))
    if before.program == after.program and before.subcommand == after.subcommand:
        # Flags that only change what is printed have put nothing right.
        is_other = is_wrong or before.loud != after.loud
        is_about_it = before.shares(after) or (is_wrong and before.is_slip_of(after))
        return is_other and is_about_it
    if before.program == after.program:
        return (
            _MISUSED.search(failure.reason) is not None
            and is_near(before.subcommand, after.subcommand)
            and before.rest == after.rest
        )
    # Another program with the same arguments, or the same one under a runner.
    is_same_rest = len(before.words) > 1 and before.words[1:] == after.words[1:]
    is_under_runner = after.words[1:] == before.words or (
        before.program in after.words and after.words[-len(before.words) + 1 :] == before.words[1:]
    )
    return _MISSING.search(failure.reason) is not None and (is_same_rest or is_under_runner)


def _is_like(one: Failure, before: Command, after: Command) -> bool:
    command = parse(one.command)
    return command is None or command.program in (before.program, after.program)


def _persists(failure: Failure, output: str) -> bool:
    """Tell whether what went wrong is in the output of what worked, as after `|| true`."""
    if failure.error_class:
        return failure.error_class in output
    return len(failure.reason) > 8 and failure.reason in output


def _forget_uncertain(failures: list[Failure]) -> None:
    """Keep only the failures that nothing but another command can put right."""
    failures[:] = [
        one
        for one in failures
        if _MISUSED.search(one.reason) or re.search("command not found", one.reason)
    ]


def _class(output: str) -> str:
    found = _CLASS.search(output)
    return found[0] if found else ""


def _reason(output: str) -> str:
    """Return the line that says what is wrong, else the first that says anything."""
    lines = [_LABEL.sub("", " ".join(line.split())) for line in output[:20_000].splitlines()]
    said = [line for line in lines if line and not _FRAME.fullmatch(line)]
    telling = (line for line in said if _MISUSED.search(line) or _MISSING.search(line))
    named = (line for line in reversed(said) if _CLASS.search(line))
    line = next(telling, None) or next(named, None) or next(iter(said), "")
    return line[:_REASON_CHARACTERS]
