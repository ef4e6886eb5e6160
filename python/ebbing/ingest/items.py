"""What a reader yields: a message, or the number of what it could not read."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shlex
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ebbing.clock import parse_time
from ebbing.errors import InputError
from ebbing.ingest.content import Unreadable
from ebbing.safety import text

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}

_LONGEST_NAME = 60

# Identical messages of one instant are told apart by counting them. The count is kept for this
# many distinct messages back, so that memory stays bounded; farther apart, they are one message.
REMEMBERED_REPEATS = 65_536


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """One message of a log, cleaned but not yet redacted.

    `message_id` is the same whenever the same message is read again, also from a file that has
    grown. `occurred_at` is naive UTC, or None where the log doesn't say. `speaker` is whose words
    they are, where a log of several people says so.
    """

    session_id: str
    message_seq: int
    role: str
    content: str
    occurred_at: datetime | None
    message_id: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line, or an item of an array, that was skipped. Numbers count from 1."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What a tool was asked and how it went, as the log says; not yet redacted.

    `command` is the line that a shell was given, empty for other tools. `message_id` is that of
    the message with the outcome, or None where it said nothing.
    """

    tool: str
    command: str
    output: str
    is_failure: bool
    message_id: str | None


class MessageFactory:
    """Gives the messages of one file their place in the session and their id.

    Beside the messages it keeps `calls`: those of tools whose outcome has been read.
    """

    def __init__(self, next_seq: Mapping[str, int] | None = None) -> None:
        """Start a file, with every session at its beginning, or where `next_seq` says."""
        self._next_seq: dict[str, int] = dict(next_seq or {})
        self._repeats: OrderedDict[str, int] = OrderedDict()
        self._asked: dict[str, tuple[str, str]] = {}
        self.calls: list[ToolCall] = []

    def asked(self, call_id: object, tool: object, request: object) -> None:
        """Note what a tool was asked, until its outcome is read."""
        if isinstance(call_id, str) and call_id:
            self._asked[call_id] = (str(tool or ""), shell_command(request))

    def answered(
        self,
        call_id: object,
        output: str,
        *,
        is_failure: bool | None = None,
        message_id: str | None = None,
    ) -> None:
        """Note how a call went; where the log doesn't say, by the exit code in the output."""
        if isinstance(call_id, str) and (asked := self._asked.pop(call_id, None)):
            tool, command = asked
            self.calls.append(
                ToolCall(
                    tool=tool,
                    command=command,
                    output=output,
                    is_failure=bool(is_failure) or says_failure(output),
                    message_id=message_id,
                )
            )

    @property
    def next_seq(self) -> dict[str, int]:
        """The place of the next message in each session."""
        return dict(self._next_seq)

    def message(
        self,
        *,
        session_id: str,
        role: str,
        content: str,
        occurred_at: datetime | None = None,
        source_id: str | None = None,
        is_unique: bool = False,
        speaker: str | None = None,
    ) -> ParsedMessage:
        """Build the next message of a session; `content` must be clean and not empty.

        `is_unique` says that no other session gives its own messages that id: one that was copied
        into another session is then the same message.
        """
        session_id = text.repaired_id(session_id)
        seq = self._next_seq.get(session_id, 0)
        self._next_seq[session_id] = seq + 1
        if source_id is not None:
            scope = () if is_unique else (session_id,)
            message_id = _hashed("source", *scope, source_id)
        elif occurred_at is not None:
            at = occurred_at.isoformat(timespec="microseconds")
            same = _hashed("time", session_id, role, at, content)
            repeat = self._repeats.pop(same, 0)
            self._repeats[same] = repeat + 1
            if len(self._repeats) > REMEMBERED_REPEATS:
                self._repeats.popitem(last=False)
            message_id = same if repeat == 0 else _hashed("repeat", same, str(repeat))
        else:
            message_id = _hashed("place", session_id, str(seq), role, content)
        return ParsedMessage(session_id, seq, role, content, occurred_at, message_id, speaker)


_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d+)\b", re.I | re.M)
_HEAD, _TAIL = 400, 200


def says_failure(output: str) -> bool:
    """Tell by the exit code that agents put at the head or the end of a command's output."""
    ends = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    found = _EXIT_CODE.search(ends)
    return found is not None and found[1] != "0"


def shell_command(request: object) -> str:
    """Return the command of a request to a shell, in the shapes that agents have for it."""
    if isinstance(request, str) and request.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            request = json.loads(request)
    command = request
    if isinstance(request, dict):
        command = request.get("command", request.get("cmd"))
    if isinstance(command, list):
        words = [str(word) for word in command]
        # `bash -lc '...'` is how a line is handed to a shell.
        command = words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else shlex.join(words)
    return command if isinstance(command, str) and isinstance(request, dict) else ""


def _hashed(*parts: str) -> str:
    """Hash the parts, each with its length, so that no two lists of parts read the same."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return "msg_" + digest.hexdigest()[:16]


def read_role(value: object) -> str:
    """Return the role as the journal names it."""
    if not isinstance(value, str):
        raise Unreadable("no role")
    try:
        return ROLES[value.strip().lower()]
    except KeyError:
        raise Unreadable(f"unknown role {value[:40]!r}") from None


def read_speaker(item: Mapping[str, object]) -> str | None:
    """Return whose words a message is; None for one that names nobody."""
    for key in ("name", "speaker", "author", "sender"):
        value = item.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        # What isn't a name (a link, a sentence) tells no two people apart.
        if isinstance(value, str) and (name := " ".join(text.clean(value).split())):
            return name if len(name) <= _LONGEST_NAME else None
    return None


def read_time(value: object) -> datetime | None:
    """Return the time of a message as naive UTC; None where there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unreadable("the time is neither text nor a number")
    try:
        return parse_time(value)
    except (InputError, ValueError, OverflowError, OSError):
        raise Unreadable(f"cannot read the time {str(value)[:40]!r}") from None


def read_id(value: object) -> str | None:
    """Return an id given as text or a whole number; None where there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return text.clean(value) or None
    if value is None:
        return None
    raise Unreadable("an id is neither text nor a number")
