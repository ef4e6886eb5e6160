"""First contact: a server that answers at once, while what it works with is still being loaded.

An agent asks a new server who it is and what tools it has, and soon makes its first request with
what it has heard by then; the library alone takes longer to load. So the answers to those two lie
in `definitions.json`, a test keeps them equal to what the server itself would say, and the server
takes over with the first request for anything else.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from importlib.resources import files
from typing import IO, TYPE_CHECKING, Any, Protocol

from ebbing.errors import EbbingError

if TYPE_CHECKING:
    from ebbing.memory import Memory

Json = dict[str, Any]

# An escaped backslash, a pair of surrogates, or one by itself, which the library can't read:
# it would drop the request without an answer.
_SURROGATES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class Serve(Protocol):
    """Serves a client whose first lines have been read."""

    def __call__(
        self, memory: Memory, reading: Wire, writing: Answers, on_write: Callable[[], None]
    ) -> None:
        """Serve until the client closes its end."""


class Wire(io.TextIOWrapper):
    """Standard input: lines read already come first, U+FFFD in the place of lone surrogates."""

    def __init__(self, binary: IO[bytes]) -> None:
        """Read from a file of bytes."""
        super().__init__(binary, encoding="utf-8", errors="replace")
        self.again: list[str] = []

    # The stubs give it the signature of bytes too.
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Return the next line."""
        if self.again:
            return self.again.pop(0)
        line = super().readline(size)
        if "\\u" not in line:
            return line
        return _SURROGATES.sub(lambda one: r"\ufffd" if one["lone"] else one[0], line)


class Answers(io.TextIOWrapper):
    """Standard output, without a second answer to what was answered early."""

    def __init__(self, binary: IO[bytes]) -> None:
        """Write to a file of bytes."""
        super().__init__(binary, encoding="utf-8")
        self.answered: object = None

    def write(self, text: str, /) -> int:
        """Write a message."""
        if self.answered is not None and json.loads(text).get("id") == self.answered:
            self.answered = None
            return len(text)
        return super().write(text)


class Greeter:
    """Answers the first requests of a client from what is known without loading anything."""

    def __init__(self, reading: Wire, writing: Answers, known: Json) -> None:
        """Answer on these ends."""
        self._reading, self._writing, self._known = reading, writing, known

    def greet(self, on_contact: Callable[[], None]) -> bool:
        """Answer until something else is asked; tell whether anything is.

        What was read and has to reach the server is left to be read again. `on_contact` is called
        once the client knows who is there.
        """
        passed: list[str] = []
        answered: object = None
        while line := self._reading.readline():
            message = _message(line)
            method, number = message.get("method"), message.get("id")
            if method == "initialize" and not passed and number is not None:
                self._say(number, self._initialized(message))
                answered = number
                passed.append(line)
                on_contact()
            elif method == "notifications/initialized" and passed:
                passed.append(line)
            elif method == "tools/list" and passed and not message.get("params", {}).get("cursor"):
                self._say(number, {"tools": self._known["tools"]})
            elif method == "ping" and passed:
                self._say(number, {})
            else:
                self._reading.again = [*passed, line]
                self._writing.answered = answered
                return True
        return False

    def _initialized(self, message: Json) -> Json:
        asked = message.get("params", {}).get("protocolVersion")
        versions = self._known["versions"]
        version = asked if asked in versions else versions[-1]
        return {**self._known["initialize"], "protocolVersion": version}

    def _say(self, number: object, result: Json) -> None:
        answer = {"jsonrpc": "2.0", "id": number, "result": result}
        self._writing.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._writing.flush()


class _Loading(threading.Thread):
    """Loads the server beside the client's first requests."""

    def __init__(self, load: Callable[[], Serve]) -> None:
        super().__init__(daemon=True)
        self._load = load
        self.serve: Serve | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.serve = self._load()
        except BaseException as error:
            self.error = error

    def wait(self) -> Serve:
        if self.ident is None:
            self.start()
        self.join()
        if self.serve is None:
            raise self.error or EbbingError("the server cannot be loaded; nothing was started")
        return self.serve


def definitions() -> Json:
    """Return what the server says of itself and its tools."""
    text = files("ebbing.mcp").joinpath("definitions.json").read_text("utf-8")
    known: Json = json.loads(text)
    return known


def serve_early(
    make: Callable[[], Memory], load: Callable[[], Serve], *, on_write: Callable[[], None]
) -> None:
    """Serve one client on standard input and output, until it closes them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # Nothing is under way that would have to be finished.
        signal.signal(number, signal.SIG_DFL)
    reading, writing = _claimed()
    loading = _Loading(load)
    is_asked = Greeter(reading, writing, definitions()).greet(loading.start)
    # A thread that loads is waited for in any case: the interpreter can't end beside it.
    serve = loading.wait() if is_asked or loading.ident else None
    if is_asked and serve is not None:
        serve(make(), reading, writing, on_write)


def _claimed() -> tuple[Wire, Answers]:
    """Return standard input and output, and leave nothing of them to tools and their children."""
    wire, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    sys.stdout.flush()
    os.dup2(2, 1)
    return Wire(os.fdopen(wire, "rb")), Answers(os.fdopen(answers, "wb"))


def _message(line: str) -> Json:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    is_one = isinstance(message, dict) and isinstance(message.get("params", {}), dict)
    return message if is_one else {}
