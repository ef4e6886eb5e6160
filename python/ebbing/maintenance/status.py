"""What a store holds: counts, and how strengths and similarities are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing.remote.registry import RemoteState, states
from ebbing.rows import fetch, fetch_as
from ebbing.store.store import Store

_HEALTH = """
    select
        live_memories, forgotten_memories, pinned_memories, messages, pending_embeddings,
        share_at_floor, orphan_hits, embedding_model, maintained_through, last_maintenance_at
    from memory_health
"""
_KINDS = "select kind, count(*) from long_term_memory group by kind order by count(*) desc, kind"
_NAMESPACES = """
    select namespace, count(*) from long_term_memory group by namespace order by namespace
"""
_STRENGTHS = """
    select bucket_from, bucket_to, memory_count
    from strength_distribution(as_of := $at::timestamp)
"""
_SIMILARITIES = "select bucket_from, bucket_to, hit_count from similarity_distribution"
_UNMAINTAINED = "select count(*) from unmaintained_memories"


@dataclass(frozen=True, slots=True)
class Health:
    """The row of `memory_health`, as of the last maintenance."""

    live_memories: int
    forgotten_memories: int
    pinned_memories: int
    messages: int
    pending_embeddings: int
    share_at_floor: float | None
    orphan_hits: int
    embedding_model: str | None
    maintained_through: datetime | None
    last_maintenance_at: datetime | None


@dataclass(frozen=True, slots=True)
class Bucket:
    """How many lie in [from, to)."""

    bucket_from: float
    bucket_to: float
    count: int


@dataclass(frozen=True, slots=True)
class Status:
    """Everything `ebbing status` prints.

    `unmaintained` memories are recalled already and not yet in `long_term_memory`; `spooled`
    batches wait for the next writer. Strengths are as of now, from 0 to 1; similarities are the
    cosines of logged hits. `remotes` are as the store knows them, without asking them.
    """

    health: Health
    unmaintained: int
    spooled: int
    kinds: tuple[tuple[str, int], ...]
    namespaces: tuple[tuple[str, int], ...]
    strengths: tuple[Bucket, ...]
    similarities: tuple[Bucket, ...]
    remotes: tuple[RemoteState, ...] = ()


def read_status(connection: duckdb.DuckDBPyConnection, store: Store, *, at: datetime) -> Status:
    """Read the status of a store that is open."""
    return Status(
        health=fetch_as(connection, Health, _HEALTH)[0],
        unmaintained=_number(fetch(connection, _UNMAINTAINED)[0][0]),
        spooled=len(store.spool.waiting()),
        kinds=_pairs(fetch(connection, _KINDS)),
        namespaces=_pairs(fetch(connection, _NAMESPACES)),
        strengths=tuple(fetch_as(connection, Bucket, _STRENGTHS, {"at": at})),
        similarities=tuple(fetch_as(connection, Bucket, _SIMILARITIES)),
        remotes=states(connection, store),
    )


def _pairs(rows: list[tuple[object, ...]]) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), _number(count)) for name, count in rows)


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
