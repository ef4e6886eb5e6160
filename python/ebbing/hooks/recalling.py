"""Memories for the start of a session and for a prompt, within tokens and time, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

import duckdb

from ebbing.hooks.state import SessionState
from ebbing.journal import ids
from ebbing.recall.answering import (
    Outcome,
    Query,
    Recalled,
    RecalledMemory,
    RecallLog,
    answer_many,
    passage_of,
)
from ebbing.recall.context import Context, compose
from ebbing.rows import fetch_as
from ebbing.safety.redaction import safe_text
from ebbing.safety.text import clean
from ebbing.store.foreign_code import refuse_foreign_code
from ebbing.store.store import Store

# The words of a prompt that are compared: who pastes a whole log asks about its beginning.
_PROMPT_CHARACTERS = 4_000
_PROMPT_MEMORIES = 5
# What nobody asked for has to be nearer to the best than what somebody did.
_LEAST_SHARE = 0.6
_QUESTION_CHARACTERS = 300
_MOST_QUESTIONS = 12
# "ok, thanks" asks nothing; four Chinese characters may.
_SHORTEST_CLAUSE_BYTES = 10
_CLAUSE_END = re.compile(r"[\n;,!?]+|\.(?=\s|\Z)|[。！？；，、।؟]+")
_START_MEMORIES = 40

_STRONGEST = """
    select
        memory_id, kind, content, similarity, lexical_score, strength, weight, score,
        created_at, last_accessed_at, source, is_outdated
    from strongest_memories(
        top_k := $top_k, namespaces := $namespaces::varchar[], as_of := $as_of::timestamp
    )
    order by position
"""


def at_start(
    store: Store, *, namespaces: tuple[str, ...], tokens: int, at: datetime, state: SessionState
) -> Context | None:
    """Return the block of what is worth most in the namespace now.

    Nothing was asked, so nothing is logged: what is given at each start has not been retrieved,
    and would else be called retrieved and useless.
    """
    query = Query(text=None, vector=None, namespaces=namespaces, at=at, top_k=_START_MEMORIES)
    with store.read() as connection:
        refuse_foreign_code(connection, store.path)
        found = _strongest(connection, query)
    block = _block(store, query, found, tokens=tokens)
    _show(block, state)
    return block


def for_prompt(
    store: Store,
    *,
    prompt: str,
    namespaces: tuple[str, ...],
    actor: str,
    session_id: str,
    tokens: int,
    at: datetime,
    state: SessionState,
) -> Context | None:
    """Return the block of what a prompt's words recall and the session has not been shown.

    The recall is logged, with those of its hits that the block holds.
    """
    words = clean(safe_text(prompt)[:_PROMPT_CHARACTERS])
    if not words:
        return None
    query = Query(
        text=words,
        vector=None,
        namespaces=namespaces,
        at=at,
        top_k=_PROMPT_MEMORIES,
        least_share=_LEAST_SHARE,
    )
    asked = [replace(query, text=text) for text in questions(words)]
    with store.read() as connection:
        refuse_foreign_code(connection, store.path)
        answers = answer_many(connection, asked)
    best: dict[str, RecalledMemory] = {}
    for memory in sorted(chain(*answers), key=lambda memory: memory.score, reverse=True):
        if not state.was_shown(memory.memory_id):
            best.setdefault(memory.memory_id, memory)
    block = _block(store, query, list(best.values())[:_PROMPT_MEMORIES], tokens=tokens)
    if block is not None:
        given = _recalled(query, block.memories, block.recall_id)
        log = RecallLog(model_id=None, actor=actor, session_id=session_id)
        store.spool.write(log.events([query], [given]))
    _show(block, state)
    return block


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
    store: Store, query: Query, found: Sequence[RecalledMemory], *, tokens: int
) -> Context | None:
    if not found or tokens < 1:
        return None

    def passage(content: str, question: str, most_characters: int) -> str:
        with store.read() as connection:
            return passage_of(connection, content, question, most_characters)

    answered = _recalled(query, found, ids.recall_id())
    # Ordered where it was worked out: by score, or at a start by what comes first.
    block = compose([answered], budget=tokens, passage=passage, is_ordered=True)
    return block if block.memories else None


def _recalled(query: Query, found: Sequence[RecalledMemory], recall_id: str) -> Recalled:
    return Recalled(
        recall_id=recall_id,
        query=query.text or "",
        memories=tuple(found),
        outcome=Outcome.FOUND,
    )


def _show(block: Context | None, state: SessionState) -> None:
    if block is not None:
        for memory in block.memories:
            state.show(memory.memory_id)
        state.save()
