"""What the tools answer: the facade's own dataclasses, and the few that it has no like of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import RootModel, model_serializer

from ebbing.maintenance.status import Status
from ebbing.plain import to_json
from ebbing.recall import context
from ebbing.recall.answering import Recalled
from ebbing.recall.listing import LiveMemory
from ebbing.recall.lookup import Version

Result = TypeVar("Result")


class Answer(RootModel[Result], Generic[Result]):
    """A result of the facade: the schema is that of its dataclass, times are written in UTC."""

    @model_serializer(mode="plain")
    def plain(self) -> Any:
        """Return it as `--json` prints it."""
        return json.loads(to_json(self.root))


@dataclass(frozen=True, slots=True)
class Answers:
    """One answer for each query, in their order."""

    answers: tuple[Recalled, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """A block for a prompt, and which memories it holds."""

    text: str
    tokens: int
    memory_ids: tuple[str, ...]
    left_out: int
    recall_id: str
    outcome: str

    @classmethod
    def of(cls, block: context.Context) -> Context:
        """Return a block without the memories, whose text it holds already."""
        return cls(
            text=block.text,
            tokens=block.tokens,
            memory_ids=tuple(memory.memory_id for memory in block.memories),
            left_out=block.left_out,
            recall_id=block.recall_id,
            outcome=block.outcome.value,
        )


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Counts of this server's namespace, then of the whole store."""

    namespace: str
    live_in_namespace: int
    live_memories: int
    not_maintained_yet: int
    forgotten_memories: int
    pinned_memories: int
    messages: int
    waiting_for_a_vector: int
    waiting_in_the_spool: int
    embedding_model: str | None
    last_maintenance_at: datetime | None

    @classmethod
    def of(cls, status: Status, *, namespace: str, live: int) -> StoreStatus:
        """Return counts alone: the names of other namespaces are no business of this one."""
        health = status.health
        return cls(
            namespace=namespace,
            live_in_namespace=live,
            live_memories=health.live_memories,
            not_maintained_yet=status.unmaintained,
            forgotten_memories=health.forgotten_memories,
            pinned_memories=health.pinned_memories,
            messages=health.messages,
            waiting_for_a_vector=health.pending_embeddings,
            waiting_in_the_spool=status.spooled,
            embedding_model=health.embedding_model,
            last_maintenance_at=health.last_maintenance_at,
        )


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The newest live memories of a namespace, and how many there are in all."""

    namespace: str
    total: int
    memories: tuple[LiveMemory, ...]


@dataclass(frozen=True, slots=True)
class OneMemory:
    """A memory while it is live, and its history as of the last maintenance."""

    memory_id: str
    is_live: bool
    memory: LiveMemory | None
    history: tuple[Version, ...]
