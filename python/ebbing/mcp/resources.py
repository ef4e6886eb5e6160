"""The resources, a namespace's memories as JSON, and the prompt that opens a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from ebbing.clock import utc_now
from ebbing.errors import EbbingError, InputError
from ebbing.mcp import results
from ebbing.memory import Memory
from ebbing.plain import to_json
from ebbing.recall.listing import count_live, live_memories, live_memory

LIST_URI = "memory://memories"
ONE_URI = "memory://memories/{memory_id}"

_MOST_LISTED = 500

_OPENING = """\
Use the memories of earlier sessions for this work: {task}

{block}

Recall again whenever the work turns to something else. When you learn something that will matter \
in later sessions, remember it; when a memory turns out wrong, correct it by its id."""

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def one_line(error: EbbingError) -> str:
    """Return what a user reads of an error."""
    return " ".join(str(error).split())


def _explained(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let an error reach the client as its one line."""

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            return function(*args, **kwargs)
        except EbbingError as error:
            code = INVALID_PARAMS if isinstance(error, InputError) else INTERNAL_ERROR
            raise MCPError(code, one_line(error)) from None

    return call


class Resources:
    """What a client can show of the memories without calling a tool."""

    def __init__(self, memory: Memory) -> None:
        """Use a facade that all calls share."""
        self._memory = memory

    def register(self, server: MCPServer) -> None:
        """Offer the list, each memory, and the prompt."""
        server.resource(
            LIST_URI,
            name="memories",
            title="Memories",
            description=f"The live memories of this namespace, the newest {_MOST_LISTED} first.",
            mime_type="application/json",
        )(_explained(self.memories))
        server.resource(
            ONE_URI,
            name="memory",
            title="One memory",
            description="A memory and its history as of the last maintenance.",
            mime_type="application/json",
        )(_explained(self.one_memory))
        server.prompt(
            name="session_start",
            title="Start a session with what is remembered",
            description="A fenced block of the memories that matter for what you are about to do.",
        )(_explained(self.session_start))

    def memories(self) -> str:
        """Return the list."""
        namespace, now = self._memory.namespace, utc_now()
        with self._memory.store.read() as connection:
            found = live_memories(connection, namespace, at=now, top_k=_MOST_LISTED)
            total = count_live(connection, namespace, at=now)
        return to_json(results.MemoryList(namespace, total, found), indent=2)

    def one_memory(self, memory_id: str) -> str:
        """Return one memory, also one that is forgotten or superseded."""
        with self._memory.store.read() as connection:
            try:
                versions = self._memory.history(memory_id)
            except InputError as error:
                raise ResourceNotFoundError(one_line(error)) from None
            live = live_memory(connection, memory_id, self._memory.namespace, at=utc_now())
        return to_json(results.OneMemory(memory_id, live is not None, live, versions), indent=2)

    def session_start(self, task: str) -> str:
        """Return the opening of a session that is about a task."""
        block = self._memory.context(task)
        return _OPENING.format(
            task=task, block=block.text or f"(no memory fits: {block.outcome.value})"
        )
