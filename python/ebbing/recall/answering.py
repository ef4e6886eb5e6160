"""Recall: bind the question to the SQL macro, return what it answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import duckdb

from ebbing import journal
from ebbing.errors import EmbeddingError, InputError
from ebbing.journal import ids
from ebbing.journal.events import Event
from ebbing.rows import fetch
from ebbing.safety.redaction import sanitise
from ebbing.safety.text import clean

MAX_QUERY_CHARACTERS = 100_000
MAX_TOP_K = 1_000

_COLUMNS = (
    "memory_id, kind, content, similarity, lexical_score, strength, weight, score, "
    "created_at, last_accessed_at, source, is_outdated"
)

_PASSAGE = """
    select passage
    from passage($content::varchar, $query_text::varchar, $most_characters::bigint)
"""

_RECALL = f"""
    select {_COLUMNS}
    from recall(
        $query_vector::varchar,
        query_text := $query_text::varchar,
        top_k := $top_k,
        namespaces := $namespaces::varchar[],
        kinds := $kinds::varchar[],
        min_similarity := $min_similarity,
        as_of := $as_of::timestamp,
        asked_from := $asked_from::date,
        asked_to := $asked_to::date,
        least_share := $least_share::double
    )
"""

_RECALL_MANY = f"""
    select query_id, {_COLUMNS}
    from recall_many(
        'asked',
        top_k := $top_k,
        namespaces := $namespaces::varchar[],
        kinds := $kinds::varchar[],
        min_similarity := $min_similarity,
        as_of := $as_of::timestamp,
        asked_from := $asked_from::date,
        asked_to := $asked_to::date,
        least_share := $least_share::double
    )
"""

_SPEAKS_OF_TIME = "select may_name_a_time from speaks_of_time($query_text::varchar)"

_ASKED_DAYS = """
    select first_day, last_day
    from asked_days($query_text::varchar, $as_of::timestamp)
"""

_STORED = """
    select count(*)
    from open_memories
    where list_contains($namespaces::varchar[], namespace)
"""


class Outcome(StrEnum):
    """Why an answer holds what it holds."""

    FOUND = "found"
    BELOW_THRESHOLD = "below threshold"
    NOTHING_STORED = "nothing stored"
    NOT_ASKED = "the store is busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, of which scope, as of when.

    `min_similarity` is a cosine from -1 to 1. `as_of` is naive UTC; it is set for a look into
    the past alone, `at` is the moment of asking. `least_share` is the part of the best score,
    0 to 1, below which a hit is dropped; None leaves it to the store.
    """

    text: str | None
    vector: Sequence[float] | None
    namespaces: tuple[str, ...]
    at: datetime
    kinds: tuple[str, ...] | None = None
    top_k: int = 5
    min_similarity: float = 0.0
    as_of: datetime | None = None
    least_share: float | None = None


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """One row of `recall`: a memory and what made its score.

    `similarity` is a cosine from -1 to 1, null while the memory waits for its embedding.
    `lexical_score` is from 0 to 1, `strength` from the kind's floor to 1, `weight` from 0 to 2.
    Times are naive UTC. `is_outdated`: something newer about the same thing stands before it.
    """

    memory_id: str
    kind: str
    content: str
    similarity: float | None
    lexical_score: float
    strength: float
    weight: float
    score: float
    created_at: datetime
    last_accessed_at: datetime | None
    source: str
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer to one query, best first; `note` says what was missing while it was made."""

    recall_id: str
    query: str
    memories: tuple[RecalledMemory, ...]
    outcome: Outcome
    note: str | None = None


def clean_query(text: str) -> str:
    """Return a query that can be embedded and tokenised, or refuse it."""
    query = clean(text) if isinstance(text, str) else ""
    if not query:
        raise InputError("the query is empty; nothing was read; ask for something")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InputError(
            f"the query has {len(query):,} characters; nothing was read; "
            f"ask with at most {MAX_QUERY_CHARACTERS:,}"
        )
    return query


def checked_top_k(top_k: int) -> int:
    """Return a number of rows from 1 to 1,000, or refuse it."""
    if 1 <= top_k <= MAX_TOP_K:
        return top_k
    raise InputError(f"{top_k} is no number of memories; nothing was read; give 1 to {MAX_TOP_K:,}")


def checked_similarity(similarity: float) -> float:
    """Return a cosine, or refuse what cannot be one."""
    if -1.0 <= similarity <= 1.0:
        return similarity
    raise InputError(f"{similarity} is no cosine; nothing was read; give -1 to 1")


def answer_all(
    connection: duckdb.DuckDBPyConnection, queries: Sequence[Query], *, note: str | None
) -> list[Recalled]:
    """Answer queries of one scope, several of them in one statement."""
    if not queries:
        raise InputError("there is no query; nothing was read; give one")
    return [
        Recalled(
            recall_id=ids.recall_id(),
            query=query.text or "",
            memories=memories,
            outcome=outcome(connection, query.namespaces, memories),
            note=note,
        )
        for query, memories in zip(queries, answer_many(connection, queries), strict=True)
    ]


def answer_many(
    connection: duckdb.DuckDBPyConnection, queries: Sequence[Query]
) -> list[tuple[RecalledMemory, ...]]:
    """Ask queries of one scope; several in one statement, where none of them names a time.

    The answers come in their order.
    """
    days = [asked_days(connection, query.text, query.as_of or query.at) for query in queries]
    if len(queries) == 1 or any(period["asked_from"] for period in days):
        return [
            _answer(connection, query, period) for query, period in zip(queries, days, strict=True)
        ]
    connection.execute(
        "create or replace temp table asked as "
        "select unnest($ids::integer[]) as query_id, unnest($vectors::varchar[]) as query_vector, "
        "unnest($texts::varchar[]) as query_text",
        {
            "ids": list(range(len(queries))),
            "vectors": [vector_text(query.vector) for query in queries],
            "texts": [query.text for query in queries],
        },
    )
    answers: list[list[RecalledMemory]] = [[] for _ in queries]
    for query_id, *row in _fetch(connection, _RECALL_MANY, {**_shared(queries[0]), **days[0]}):
        answers[query_id].append(RecalledMemory(*row))
    return [tuple(rows) for rows in answers]


def _answer(
    connection: duckdb.DuckDBPyConnection, query: Query, days: dict[str, object]
) -> tuple[RecalledMemory, ...]:
    rows = _fetch(
        connection,
        _RECALL,
        {
            **_shared(query),
            **days,
            "query_vector": vector_text(query.vector),
            "query_text": query.text,
        },
    )
    return tuple(RecalledMemory(*row) for row in rows)


def passage_of(
    connection: duckdb.DuckDBPyConnection, content: str, query_text: str, most_characters: int
) -> str:
    """Return the part of a text that holds most of a question; empty where none is so short."""
    rows = fetch(
        connection,
        _PASSAGE,
        {"content": content, "query_text": query_text, "most_characters": most_characters},
    )
    return str(rows[0][0]) if rows else ""


def outcome(
    connection: duckdb.DuckDBPyConnection,
    namespaces: Sequence[str],
    memories: Sequence[RecalledMemory],
) -> Outcome:
    """Tell an empty scope from one in which nothing came near enough."""
    if memories:
        return Outcome.FOUND
    stored = connection.execute(_STORED, {"namespaces": list(namespaces)}).fetchone()
    return Outcome.BELOW_THRESHOLD if stored and stored[0] else Outcome.NOTHING_STORED


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLog:
    """Who asked, for which session or task: what the journal keeps beside question and answer."""

    model_id: str | None
    actor: str
    session_id: str | None = None
    task_id: str | None = None

    def events(self, queries: Sequence[Query], answers: Sequence[Recalled]) -> list[Event]:
        """Return one event for each recall, and one for each of its hits."""
        return [
            event
            for query, answered in zip(queries, answers, strict=True)
            for event in (self._recall(query, answered), *_hits(query, answered))
        ]

    def _recall(self, query: Query, answered: Recalled) -> Event:
        return journal.Recall(
            recall_id=answered.recall_id,
            namespaces=query.namespaces,
            kinds=query.kinds,
            query_text=None if query.text is None else sanitise(query.text).text,
            query_vector=query.vector,
            model_id=self.model_id,
            top_k=query.top_k,
            min_similarity=query.min_similarity,
            as_of=query.as_of,
            actor=self.actor,
            session_id=self.session_id,
            task_id=self.task_id,
            occurred_at=query.at,
            recorded_at=query.at,
        )


def _hits(query: Query, answered: Recalled) -> list[Event]:
    return [
        journal.RecallHit(
            recall_id=answered.recall_id,
            memory_id=memory.memory_id,
            hit_rank=rank,
            similarity=memory.similarity,
            lexical_score=memory.lexical_score,
            strength=memory.strength,
            weight=memory.weight,
            score=memory.score,
            occurred_at=query.at,
            recorded_at=query.at,
        )
        for rank, memory in enumerate(answered.memories, start=1)
    ]


def asked_days(
    connection: duckdb.DuckDBPyConnection, text: str | None, as_of: datetime
) -> dict[str, object]:
    """Return the days that a question asks about as `asked_from`, `asked_to`; None for none."""
    found: Sequence[Sequence[object]] = ()
    if text and fetch(connection, _SPEAKS_OF_TIME, {"query_text": text})[0][0]:
        found = fetch(connection, _ASKED_DAYS, {"query_text": text, "as_of": as_of})
    first_day, last_day = found[0] if found else (None, None)
    return {"asked_from": first_day, "asked_to": last_day}


def _shared(query: Query) -> dict[str, object]:
    return {
        "top_k": query.top_k,
        "namespaces": list(query.namespaces),
        "kinds": None if query.kinds is None else list(query.kinds),
        "min_similarity": query.min_similarity,
        "as_of": query.as_of or query.at,
        "least_share": query.least_share,
    }


def vector_text(vector: Sequence[float] | None) -> str | None:
    """Return a vector in the form in which it is bound."""
    # As text an array of 384 binds in 2 ms; as a list of floats it takes 30 to 80 ms.
    return None if vector is None else json.dumps(list(vector))


def _fetch(
    connection: duckdb.DuckDBPyConnection, statement: str, parameters: dict[str, object]
) -> list[tuple[Any, ...]]:
    try:
        return fetch(connection, statement, parameters)
    except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
        if isinstance(error, duckdb.InvalidInputException) and "dimensions" not in str(error):
            raise
        raise EmbeddingError(
            "the query's vector does not fit the store's model; nothing was changed; "
            "run `ebbing maintain`, or `ebbing reembed` after a change of model"
        ) from None
