"""What the tools answer: frozen dataclasses of plain values, with times as ISO 8601 in UTC.

Those that a tool returns have no slots: the MCP library reads a field's default off its class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ebbing import context, explaining, lookup, recall, tasks, writing
from ebbing.clock import format_time
from ebbing.listing import LiveMemory
from ebbing.status import Status


@dataclass(frozen=True)
class Remembered:
    """A memory as it was stored."""

    memory_id: str
    content: str
    valid_from: str
    is_embedded: bool
    is_spooled: bool
    redacted: list[str] = field(default_factory=list)
    note: str | None = None

    @classmethod
    def of(cls, done: writing.Remembered, *, valid_from: datetime) -> Remembered:
        """Return what the facade said."""
        return cls(
            memory_id=done.memory_id,
            content=done.content,
            valid_from=format_time(valid_from),
            is_embedded=done.is_embedded,
            is_spooled=done.is_spooled,
            redacted=list(done.redacted),
            note=done.note,
        )


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A recalled memory and what made its score."""

    memory_id: str
    content: str
    kind: str
    score: float
    similarity: float | None
    lexical_score: float
    strength: float
    weight: float
    created_at: str
    last_accessed_at: str | None
    source: str

    @classmethod
    def of(cls, memory: recall.RecalledMemory) -> RecalledMemory:
        """Return a row of recall."""
        return cls(
            memory_id=memory.memory_id,
            content=memory.content,
            kind=memory.kind,
            score=memory.score,
            similarity=memory.similarity,
            lexical_score=memory.lexical_score,
            strength=memory.strength,
            weight=memory.weight,
            created_at=format_time(memory.created_at),
            last_accessed_at=_time(memory.last_accessed_at),
            source=memory.source,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one query, best first."""

    query: str
    recall_id: str
    outcome: str
    note: str | None
    memories: list[RecalledMemory]

    @classmethod
    def of(cls, recalled: recall.Recalled) -> Answer:
        """Return what the facade said."""
        return cls(
            query=recalled.query,
            recall_id=recalled.recall_id,
            outcome=recalled.outcome.value,
            note=recalled.note,
            memories=[RecalledMemory.of(memory) for memory in recalled.memories],
        )


@dataclass(frozen=True)
class Answers:
    """One answer for each query, in their order."""

    answers: list[Answer]


@dataclass(frozen=True)
class Context:
    """A block for a prompt, and which memories it holds."""

    text: str
    tokens: int
    memory_ids: list[str]
    left_out: int
    recall_id: str
    outcome: str

    @classmethod
    def of(cls, block: context.Context) -> Context:
        """Return what the facade said."""
        return cls(
            text=block.text,
            tokens=block.tokens,
            memory_ids=[memory.memory_id for memory in block.memories],
            left_out=block.left_out,
            recall_id=block.recall_id,
            outcome=block.outcome.value,
        )


@dataclass(frozen=True)
class Corrected:
    """A correction: the new memory, and the old one, which is history now."""

    memory_id: str
    superseded_id: str
    is_spooled: bool
    note: str | None = None


@dataclass(frozen=True)
class Changed:
    """A memory whose state changed, or will as soon as the spool is folded in."""

    memory_id: str
    is_spooled: bool


@dataclass(frozen=True)
class StartedTask:
    """A task that was begun, and what is known for it."""

    task_id: str
    is_spooled: bool
    recalled: Answer

    @classmethod
    def of(cls, started: tasks.StartedTask) -> StartedTask:
        """Return what the facade said."""
        return cls(
            task_id=started.task_id,
            is_spooled=started.is_spooled,
            recalled=Answer.of(started.recalled),
        )


@dataclass(frozen=True)
class EndedTask:
    """A task whose end is in the journal."""

    task_id: str
    rated: int


@dataclass(frozen=True)
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
    last_maintenance_at: str | None

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
            last_maintenance_at=_time(health.last_maintenance_at),
        )


@dataclass(frozen=True, slots=True)
class State:
    """What a memory is now, and what its strength is worth at this moment."""

    memory_id: str
    kind: str
    content: str
    is_live: bool
    forgotten_because: str | None
    strength_now: float
    strength: float
    strengthened_at: str
    days_since: float
    decay_model: str
    decay_base: float
    stability: float
    strength_floor: float
    weight: float
    first_weight: float


@dataclass(frozen=True, slots=True)
class Step:
    """One event that made a memory what it is."""

    occurred_at: str
    event: str
    detail: str
    strength_before: float | None
    strength_after: float | None
    weight_before: float | None
    weight_after: float | None
    source: str


@dataclass(frozen=True)
class Explanation:
    """The state of a memory, and every step that led there, by time."""

    state: State
    steps: list[Step]

    @classmethod
    def of(cls, explained: explaining.Explanation) -> Explanation:
        """Return what the facade said."""
        state = explained.state
        return cls(
            state=State(
                memory_id=state.memory_id,
                kind=state.kind,
                content=state.content,
                is_live=state.is_live,
                forgotten_because=state.forgotten_because,
                strength_now=state.strength_now,
                strength=state.strength,
                strengthened_at=format_time(state.strengthened_at),
                days_since=state.days_since,
                decay_model=state.decay_model,
                decay_base=state.decay_base,
                stability=state.stability,
                strength_floor=state.strength_floor,
                weight=state.weight,
                first_weight=state.first_weight,
            ),
            steps=[
                Step(
                    occurred_at=format_time(step.occurred_at),
                    event=step.event,
                    detail=step.detail,
                    strength_before=step.strength_before,
                    strength_after=step.strength_after,
                    weight_before=step.weight_before,
                    weight_after=step.weight_after,
                    source=step.source,
                )
                for step in explained.steps
            ],
        )


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """A live memory in the list."""

    memory_id: str
    kind: str
    content: str
    created_at: str
    valid_from: str
    expires_at: str | None
    source: str

    @classmethod
    def of(cls, memory: LiveMemory) -> ListedMemory:
        """Return a row of the listing."""
        return cls(
            memory_id=memory.memory_id,
            kind=memory.kind,
            content=memory.content,
            created_at=format_time(memory.created_at),
            valid_from=format_time(memory.valid_from),
            expires_at=_time(memory.expires_at),
            source=memory.source,
        )


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The newest live memories of a namespace, and how many there are in all."""

    namespace: str
    total: int
    memories: list[ListedMemory]


@dataclass(frozen=True, slots=True)
class Version:
    """A span in which a text was live, and why it ended."""

    memory_id: str
    content: str
    valid_from: str
    valid_to: str | None
    closed_because: str | None
    explanation: str | None
    superseded_by: str | None

    @classmethod
    def of(cls, version: lookup.Version) -> Version:
        """Return a row of the history."""
        return cls(
            memory_id=version.memory_id,
            content=version.content,
            valid_from=format_time(version.valid_from),
            valid_to=_time(version.valid_to),
            closed_because=version.closed_because,
            explanation=version.explanation,
            superseded_by=version.superseded_by,
        )


@dataclass(frozen=True, slots=True)
class OneMemory:
    """A memory while it is live, and its history as of the last maintenance."""

    memory_id: str
    is_live: bool
    memory: ListedMemory | None
    history: list[Version]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)
