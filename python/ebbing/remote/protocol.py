"""What a remote is: a journal elsewhere that takes events, and delivers those of others.

A union of journals is a correct merge, so a remote keeps a set of events and no order. It drops
what it has already, by event id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from ebbing import journal
from ebbing.errors import RemoteAway
from ebbing.journal.events import Event

# What machines share. The store's settings, its runs and its choice of a model are its own.
SHARED: tuple[type[Event], ...] = (
    journal.Erasure,
    journal.Message,
    journal.MemoryWrite,
    journal.MemoryChange,
    journal.Embedding,
    journal.Recall,
    journal.RecallHit,
    journal.TaskStart,
    journal.TaskEnd,
    journal.Rating,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a store has read a remote, `position` being in the remote's own terms."""

    identity: str
    position: str
    sent_through: int


@dataclass(slots=True)
class Delivery:
    """What is new at a remote: batches of events, tombstones before all others.

    `is_whole`: the mark was another remote's, or there was none, so all there is comes. When the
    batches are read, `position` is where to go on, and `unreadable` counts the events that a newer
    version wrote.
    """

    identity: str
    is_whole: bool
    position: str
    batches: Iterator[list[Event]]
    unreadable: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Model:
    """The embedding model whose vectors a remote holds."""

    model_id: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What an erasure changes at a remote.

    `marks` are the tombstones, before which all goes that they name; `events` are those that stay
    without a passage, as they are then.
    """

    marks: Sequence[journal.Erasure]
    events: Sequence[Event]


class StaleMark(RemoteAway):
    """Tombstones have come since the mark was made; they are to be read first."""


class Remote(Protocol):
    """A journal elsewhere. Whatever is away, slow or refused is a `RemoteAway`."""

    address: str

    def make(self, model: Model | None) -> None:
        """Make what is missing there; one that names no model yet takes this one."""

    def model(self) -> Model | None:
        """Return whose vectors the remote holds."""

    def scope(self) -> frozenset[str] | None:
        """Return the namespaces that this user may see and write there; None for all."""

    def deliver(self, mark: Mark | None) -> AbstractContextManager[Delivery]:
        """Deliver what is there and was not when the mark was made."""

    def missing(self, event_ids: Sequence[str]) -> set[str]:
        """Return those of some event ids that are not there."""

    def send(
        self,
        events: Sequence[Event],
        namespaces: Sequence[Sequence[str] | None],
        mark: Mark | None = None,
    ) -> int:
        """Commit events there, each with the namespaces that it is of; return how many are new.

        With a mark, `StaleMark` and nothing is committed if tombstones have come since: what is to
        be sent may hold what they speak of.
        """

    def erase(self, rewriting: Rewriting, mark: Mark) -> bool:
        """Carry an erasure out; False, and nothing is changed, if tombstones came since the mark.

        What is rewritten must be without what others erased.
        """

    def digests(self, kinds: Sequence[str]) -> dict[str, str]:
        """Return the digest (see `bodies`) of every event of some kinds, by event id."""

    def search(self, needles: Sequence[str]) -> list[tuple[str, int]]:
        """Return how often texts are found, by table or file."""

    def close(self) -> None:
        """Let go of what is open."""
