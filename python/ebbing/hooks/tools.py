"""Failures of tools, and what worked after them.

A failure is noted in the journal as a message of the role `tool`. When the same tool then succeeds
in the same session at the same thing (the same program, file or address) asked in another way, the
pair becomes a memory of the kind `correction`, by the method `inferred`: a candidate that has to
prove useful or fades like any other. This module only pairs; what such a memory is worth, and that
it is of low importance, is in the seeds `memory_kinds` and `memory_methods`.
"""

from __future__ import annotations

import re
from datetime import datetime

from ebbing import journal
from ebbing.hooks.events import ToolResult
from ebbing.hooks.state import Failure, SessionState
from ebbing.journal import ids
from ebbing.journal.spool import Spool
from ebbing.journal.writing import Origin, write_event
from ebbing.safety.redaction import safe_text
from ebbing.safety.text import clean

_MESSAGE_CHARACTERS = 4_000
_REQUEST_CHARACTERS = 300
_REASON_CHARACTERS = 200
_EMPTY_REASON = re.compile(
    r"(?:error:\s*)?(?:command )?(?:process )?(?:exit(?:ed with)? (?:code|status)"
    r"|exited with (?:code|non-zero status code)|wall time|output|chunk id).{0,40}",
    re.IGNORECASE,
)


def note_failure(
    result: ToolResult,
    *,
    state: SessionState,
    spool: Spool,
    namespace: str,
    session_id: str,
    message_seq: int,
    at: datetime,
) -> None:
    """Put a failed call into the journal, and remember it until one like it works."""
    # Redacted before it is cut: half a secret is not recognised.
    request = _safe(result.request, _REQUEST_CHARACTERS)
    error = _safe(result.error, _MESSAGE_CHARACTERS)
    message_id = ids.message_id(
        namespace, session_id, "tool failure", result.call_id or ids.event_id()
    )
    spool.write(
        [
            journal.Message(
                message_id=message_id,
                namespace=namespace,
                session_id=session_id,
                message_seq=message_seq,
                role="tool",
                content=clean(f"{result.tool} failed: {request}\n{error}"),
                source="hook",
                occurred_at=at,
                recorded_at=at,
            )
        ]
    )
    _forget(state, result)
    state.failures.append(
        Failure(
            tool=result.tool,
            target=_safe(result.target, _REQUEST_CHARACTERS),
            request=request,
            reason=_reason(error),
            message_id=message_id,
        )
    )
    state.save()


def note_success(
    result: ToolResult,
    *,
    state: SessionState,
    spool: Spool,
    namespace: str,
    actor: str,
    session_id: str,
    at: datetime,
) -> str | None:
    """Make a candidate of a call that works after one like it failed; return its memory's id."""
    target = _safe(result.target, _REQUEST_CHARACTERS)
    failed = [one for one in state.failures if one.tool == result.tool and one.target == target]
    if not failed:
        return None
    _forget(state, result)
    state.save()
    last = failed[-1]
    request = _safe(result.request, _REQUEST_CHARACTERS)
    # The same request worked at last: something else was put right, and nobody knows what.
    if request == last.request or not request:
        return None
    why = f" ({last.reason})" if last.reason else ""
    event, _ = write_event(
        f"{result.tool}: `{last.request}` failed{why}; `{request}` worked.",
        namespace=namespace,
        kind="correction",
        actor=actor,
        method="inferred",
        at=at,
        recorded_at=at,
        origin=Origin(session_id=session_id, message_id=last.message_id),
    )
    spool.write([event])
    return event.memory_id


def _forget(state: SessionState, result: ToolResult) -> None:
    target = _safe(result.target, _REQUEST_CHARACTERS)
    state.failures = [
        one for one in state.failures if (one.tool, one.target) != (result.tool, target)
    ]


def _safe(text: str, most: int) -> str:
    safe = safe_text(text)
    return safe if len(safe) <= most else safe[:most].rstrip() + " ..."


def _reason(error: str) -> str:
    """Return the first line that says more than that there was an error."""
    for line in error.splitlines():
        line = " ".join(line.split())
        if line and not _EMPTY_REASON.fullmatch(line):
            return line[:_REASON_CHARACTERS]
    return ""
