"""Memories for the start of a session and for a prompt, within tokens and time, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import duckdb

from ebbing import ids
from ebbing.context import Context, compose
from ebbing.hooks.state import SessionState
from ebbing.recall import Outcome, Query, Recalled, RecalledMemory, RecallLog, answer, answer_many
from ebbing.redaction import sanitise
from ebbing.rows import fetch_as
from ebbing.store import Store
from ebbing.text import clean

# The words of a prompt that are compared: who pastes a whole log asks about its beginning.
_PROMPT_CHARACTERS = 4_000
_PROMPT_MEMORIES = 5
_QUESTION_CHARACTERS = 300
_MOST_QUESTIONS = 12
# "ok, thanks" asks nothing; four Chinese characters may.
_SHORTEST_CLAUSE_BYTES = 10
_CLAUSE_END = re.compile(r"[\n;,!?]+|\.(?=\s|\Z)|[。！？；，、।؟]+")
_START_MEMORIES = 40

_STRONGEST = """
    select
        memory_id, kind, content, similarity, lexical_score, strength, weight, score,
        created_at, last_accessed_at, source
    from strongest_memories(
        top_k := $top_k, namespaces := $namespaces::varchar[], as_of := $as_of::timestamp
    )
"""


def at_start(
    store: Store,
    *,
    namespace: str,
    actor: str,
    session_id: str,
    tokens: int,
    at: datetime,
    state: SessionState,
) -> Context | None:
    """Return the block of what is worth most in the namespace now, and log what it holds."""
    query = Query(text=None, vector=None, namespaces=(namespace,), at=at, top_k=_START_MEMORIES)
    with store.read() as connection:
        found = _strongest(connection, query)
    return _block(
        store, query, found, actor=actor, session_id=session_id, tokens=tokens, state=state
    )


def for_prompt(
    store: Store,
    *,
    prompt: str,
    namespace: str,
    actor: str,
    session_id: str,
    tokens: int,
    at: datetime,
    state: SessionState,
) -> Context | None:
    """Return the block of what a prompt's words recall and the session has not been shown."""
    words = clean(sanitise(clean(prompt)).text[:_PROMPT_CHARACTERS])
    if not words:
        return None
    query = Query(text=words, vector=None, namespaces=(namespace,), at=at, top_k=_PROMPT_MEMORIES)
    asked = [replace(query, text=text) for text in questions(words)]
    with store.read() as connection:
        answers = (
            answer_many(connection, asked) if len(asked) > 1 else [answer(connection, asked[0])]
        )
    found = [
        memory
        for memories in answers
        for memory in memories
        if not state.was_shown(memory.memory_id)
    ]
    return _block(
        store, query, found, actor=actor, session_id=session_id, tokens=tokens, state=state
    )


def questions(prompt: str) -> list[str]:
    """Return what a prompt asks, clause by clause, and first the whole of it if it is short.

    A memory is as relevant as the share of the question that it answers; of a prompt that says
    much besides, it would answer next to nothing.
    """
    clauses = [
        clause.strip()[:_QUESTION_CHARACTERS]
        for clause in _CLAUSE_END.split(prompt)
        if len(clause.strip().encode("utf-8")) >= _SHORTEST_CLAUSE_BYTES
    ]
    whole = [prompt] if len(prompt) <= _QUESTION_CHARACTERS or not clauses else []
    return list(dict.fromkeys([*whole, *clauses]))[:_MOST_QUESTIONS]


def _strongest(connection: duckdb.DuckDBPyConnection, query: Query) -> Sequence[RecalledMemory]:
    return fetch_as(
        connection,
        RecalledMemory,
        _STRONGEST,
        {"top_k": query.top_k, "namespaces": list(query.namespaces), "as_of": query.at},
    )


def _block(
    store: Store,
    query: Query,
    found: Sequence[RecalledMemory],
    *,
    actor: str,
    session_id: str,
    tokens: int,
    state: SessionState,
) -> Context | None:
    if not found or tokens < 1:
        return None
    recalled = Recalled(
        recall_id=ids.recall_id(),
        query=query.text or "",
        memories=tuple(found),
        outcome=Outcome.FOUND,
    )
    block = compose([recalled], budget=tokens)
    if not block.memories:
        return None
    # What didn't fit was not given to the agent and is no hit.
    given = Recalled(
        recall_id=recalled.recall_id,
        query=recalled.query,
        memories=block.memories,
        outcome=Outcome.FOUND,
    )
    log = RecallLog(model_id=None, actor=actor, session_id=session_id)
    store.spool.write(log.events([query], [given]))
    for memory in block.memories:
        state.show(memory.memory_id)
    state.save()
    return block
