"""mem0's class over ebbing: a program moves by `from ebbing.adapters.mem0 import Memory`.

A user, an agent and a run are a namespace together, as each of mem0's filters is a scope. Nothing
is asked of a language model: `add` logs what was said, which is found at once, and rules make
memories of it in maintenance; with `infer=False` it is stored as it is. `delete` is a forgetting
that can be undone; only `ebbing erase` removes for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from ebbing import memory as facade
from ebbing.adapters.said import Said, log
from ebbing.clock import format_time, parse_time
from ebbing.errors import InputError
from ebbing.journal import ids
from ebbing.journal.writing import Origin
from ebbing.recall.listing import live_memory
from ebbing.recall.lookup import namespace_of
from ebbing.safety.text import clean, clean_memory

Json = dict[str, Any]

_ENTITIES = ("user_id", "agent_id", "run_id")


class Memory:
    """What mem0's `Memory` does, in one store of ebbing's."""

    def __init__(self, path: Path | str | None = None) -> None:
        """Name a store that exists; `ebbing init` makes one."""
        self._memory = facade.Memory(path, actor="mem0")

    def add(
        self,
        messages: str | Mapping[str, str] | Sequence[Mapping[str, str]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        timestamp: str | float | None = None,
        infer: bool = True,
    ) -> Json:
        """Log messages, or store them as they are; return the memories that they are now."""
        memory = self._of(user_id=user_id, agent_id=agent_id, run_id=run_id)
        listed = [messages] if isinstance(messages, str | Mapping) else messages
        said = [
            ("user", one) if isinstance(one, str) else (one["role"], one["content"])
            for one in listed
        ]
        at = None if timestamp is None else parse_time(timestamp)
        if not infer:
            origin = Origin(metadata=metadata) if metadata else None
            stored = [memory.remember(text, at=at, origin=origin) for _, text in said]
            return {"results": [_event(one.memory_id, one.content) for one in stored]}
        log(
            memory,
            [Said(role=role, text=text, at=at or memory.now()) for role, text in said],
            session_id=run_id or uuid4().hex,
            source="mem0",
        )
        texts = [clean_memory(text) for role, text in said if role == "user" and clean(text)]
        results = [_event(ids.memory_id(memory.namespace, text), text) for text in texts]
        return {"results": results}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, str] | None = None,
        threshold: float = 0.1,
        **entities: str,
    ) -> Json:
        """Return the memories that answer a query best, of at least a score."""
        answer = self._of(**{**(filters or {}), **entities}).recall(query, top_k=top_k)
        found = [one for one in answer.memories if one.score >= threshold]
        return {"results": [_row(one) | {"score": one.score} for one in found]}

    def get(self, memory_id: str) -> Json | None:
        """Return a live memory, or None."""
        memory = self._owner(memory_id)
        with memory.store.read() as connection:
            found = live_memory(connection, memory_id, memory.namespace, at=memory.now())
        return _row(found) if found else None

    def get_all(
        self, *, filters: Mapping[str, str] | None = None, top_k: int = 20, **entities: str
    ) -> Json:
        """Return the live memories of a scope, the newest first."""
        found = self._of(**{**(filters or {}), **entities}).live(top_k=top_k)
        return {"results": [_row(one) for one in found]}

    def update(self, memory_id: str, text: str | None = None, *, data: str = "") -> Json:
        """Put a memory right; the new text has an id of its own, and the history has both."""
        done = self._owner(memory_id).correct(memory_id, text or data)
        return {"message": "Memory updated successfully!", "id": done.memory_id}

    def delete(self, memory_id: str) -> Json:
        """Take a memory out of recall."""
        self._owner(memory_id).forget(memory_id)
        return {"message": "Memory deleted successfully!"}

    def history(self, memory_id: str) -> list[Json]:
        """Return every text that a memory has had, as of the last maintenance."""
        return [
            {
                "memory_id": version.memory_id,
                "new_memory": version.content,
                "event": version.opened_because,
                "created_at": format_time(version.valid_from),
                "is_deleted": version.valid_to is not None,
            }
            for version in self._owner(memory_id).history(memory_id)
        ]

    def _owner(self, memory_id: str) -> facade.Memory:
        with self._memory.store.read() as connection:
            namespace = namespace_of(connection, memory_id)
        return self._memory.scoped(namespace) if namespace else self._memory

    def _of(self, **entities: str | None) -> facade.Memory:
        if strangers := entities.keys() - set(_ENTITIES):
            raise InputError(f"{min(strangers)} is no scope; nothing was done; use user_id")
        named = [f"{name}={entities[name]}" for name in _ENTITIES if entities.get(name)]
        if not named:
            raise InputError("whose memories is not said; nothing was done; name a user_id")
        return self._memory.scoped("/".join(named))


def _event(memory_id: str, text: str) -> Json:
    return {"id": memory_id, "memory": text, "event": "ADD"}


def _row(one: Any) -> Json:
    return {"id": one.memory_id, "memory": one.content, "created_at": format_time(one.created_at)}
