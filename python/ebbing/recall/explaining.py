"""Why a memory is what it is, and why a query does not find it: read from SQL, told in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing.errors import InputError
from ebbing.recall.answering import asked_days, vector_text
from ebbing.recall.lookup import require_memory
from ebbing.rows import fetch, fetch_as

_STATE = """
    select
        memory_id, kind, content, strength, strengthened_at, decay_model, decay_base, stability,
        strength_floor,
        strength_now, days_since, weight, first_weight, is_live, forgotten_because
    from memory_state(as_of := $at::timestamp)
    where memory_id = coalesce(
        (select canonical_id from known_memories where memory_id = $memory_id),
        $memory_id
    )
"""

_TIMELINE = """
    select
        occurred_at, event, detail, strength_before, strength_after, weight_before, weight_after,
        source, event_id
    from memory_timeline
    where memory_id = $memory_id
    order by occurred_at, event_id
"""

_WHY_NOT = """
    select
        memory_id, content, recall_rank, is_recalled, score, score_to_beat, beaten_by, lost_by,
        relevance, similarity, lexical_score, strength, weight, ranking_factor,
        centred_similarity, standing_out, neighbour_relevance, stretch_relevance,
        is_speaker_named, is_in_period, is_outdated
    from recall_explained(
        $query_vector::varchar,
        query_text := $query_text::varchar,
        top_k := $top_k,
        namespaces := $namespaces::varchar[],
        as_of := $at::timestamp,
        asked_from := $asked_from::date,
        asked_to := $asked_to::date
    )
    where memory_id = $memory_id
"""


@dataclass(frozen=True, slots=True)
class State:
    """What a memory is now: its stored strength, and what that is worth at this moment.

    Strengths are from the floor to 1, `days_since` counts from `strengthened_at`, `stability` is
    in days, weights are from 0 to 2. `forgotten_because` is set where it is not recalled.
    """

    memory_id: str
    kind: str
    content: str
    strength: float
    strengthened_at: datetime
    decay_model: str
    decay_base: float
    stability: float
    strength_floor: float
    strength_now: float
    days_since: float
    weight: float
    first_weight: float
    is_live: bool
    forgotten_because: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One event that made the memory what it is, and the place in the log that it came from."""

    occurred_at: datetime
    event: str
    detail: str
    strength_before: float | None
    strength_after: float | None
    weight_before: float | None
    weight_after: float | None
    source: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The state of a memory and every step that led there, by time."""

    state: State
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class WhyNot:
    """How a memory fared for one query: its rank, the score that beat it, and what lost it.

    `lost_by` is the factor that would have raised its score most, had it had the winner's value;
    or the threshold that it missed; or the state that keeps it out of recall. None: it is recalled.
    """

    memory_id: str
    content: str
    recall_rank: int | None
    is_recalled: bool
    score: float | None
    score_to_beat: float | None
    beaten_by: str | None
    lost_by: str | None
    relevance: float | None
    similarity: float | None
    lexical_score: float | None
    strength: float | None
    weight: float | None
    ranking_factor: float | None
    centred_similarity: float | None = None
    standing_out: float | None = None
    neighbour_relevance: float | None = None
    stretch_relevance: float | None = None
    is_speaker_named: bool | None = None
    is_in_period: bool | None = None
    is_outdated: bool | None = None


def why(
    connection: duckdb.DuckDBPyConnection, memory_id: str, *, namespace: str, at: datetime
) -> Explanation:
    """Explain a memory as of a moment (naive UTC)."""
    state = _state(connection, memory_id, namespace=namespace, at=at)
    steps = fetch_as(connection, Step, _TIMELINE, {"memory_id": state.memory_id})
    return Explanation(state=state, steps=tuple(steps))


def why_not(
    connection: duckdb.DuckDBPyConnection,
    memory_id: str,
    query: str,
    vector: Sequence[float] | None,
    *,
    namespace: str,
    top_k: int,
    at: datetime,
) -> WhyNot:
    """Explain why a query does not recall a memory."""
    state = _state(connection, memory_id, namespace=namespace, at=at)
    found = fetch_as(
        connection,
        WhyNot,
        _WHY_NOT,
        {
            "query_vector": vector_text(vector),
            "query_text": query,
            "top_k": top_k,
            "namespaces": [namespace],
            "at": at,
            "memory_id": state.memory_id,
            **asked_days(connection, query, at),
        },
    )
    if found:
        return found[0]
    return WhyNot(
        memory_id=state.memory_id,
        content=state.content,
        recall_rank=None,
        is_recalled=False,
        score=None,
        score_to_beat=None,
        beaten_by=None,
        lost_by=f"not recalled at all: {state.forgotten_because or 'not live at that moment'}",
        relevance=None,
        similarity=None,
        lexical_score=None,
        strength=state.strength_now,
        weight=state.weight,
        ranking_factor=None,
    )


def _state(
    connection: duckdb.DuckDBPyConnection, memory_id: str, *, namespace: str, at: datetime
) -> State:
    require_memory(connection, memory_id, namespace)
    rows = fetch(connection, _STATE, {"memory_id": memory_id, "at": at})
    if not rows:
        raise InputError(
            f"{memory_id} is newer than the last maintenance; nothing was changed; "
            "run `ebbing maintain` first"
        )
    return State(*rows[0])
