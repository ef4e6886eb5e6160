"""A build that goes on from the last one leaves what a whole build of the same journal leaves."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conftest import START, Clock
from ebbing import Memory
from ebbing.embedding.model import embed
from ebbing.embedding.registry import get_embedder
from ebbing.journal import (
    Event,
    MemoryChange,
    MemoryWrite,
    Message,
    Rating,
    Recall,
    RecallHit,
    TaskEnd,
    TaskStart,
    ids,
)
from ebbing.maintenance.dbt import Dbt
from ebbing.rows import fetch
from store_harness import assert_same_rows, public_rows

# Some say the same, some are updates of others, some are what the rules make of the messages.
TEXTS = (
    "User lives in Hangzhou",
    "The user lives in Hangzhou",
    "User lives in Chengdu",
    "用户住在杭州",
    "用户住在成都",
    "The router IP is 192.168.7.1",
    "The router IP is 192.168.9.1",
    "The router IP is 192.168.9.7",
    "The build takes 14 minutes",
    "The build takes 15 minutes",
    "She sells clothes at the market",
    "She sells her clothes at the market",
    "User prefers tabs",
    "User no longer prefers tabs",
    "run 14: p95 212 ms",
    "run 15: p95 389 ms",
)
MESSAGES = (
    "I live in Hangzhou.",
    "I live in Chengdu. I prefer tabs.",
    "I prefer tabs over spaces.",
    "我住在成都。",
    "My dog is called Pixel.",
)
TASKS = ("task-1", "task-2", "task-3")
_INTERNAL = ("recall_index", "int_strength_states", "int_weight_steps")

texts = st.sampled_from(TEXTS)
ages = st.integers(0, 40)
Action = tuple[Any, ...]
actions = st.one_of(
    st.tuples(
        st.just("state"),
        texts,
        ages,
        st.sampled_from(["fact", "skill", "recipe"]),
        st.booleans(),
        st.booleans(),
    ),
    st.tuples(st.just("say"), st.sampled_from(MESSAGES), ages),
    st.tuples(st.just("embed"), texts),
    st.tuples(
        st.just("change"),
        st.sampled_from(["forget", "restore", "pin", "unpin", "unmerge", "supersede"]),
        texts,
        texts,
        ages,
    ),
    st.tuples(
        st.just("recall"),
        st.lists(texts, min_size=1, max_size=4, unique=True),
        st.sampled_from([None, *TASKS]),
        st.floats(0.5, 1.0),
        ages,
        st.booleans(),
    ),
    st.tuples(st.just("start"), st.sampled_from(TASKS), ages),
    st.tuples(st.just("end"), st.sampled_from(TASKS), ages, st.booleans(), st.integers(0, 9_000)),
    st.tuples(st.just("rate"), st.sampled_from(TASKS), texts, st.integers(0, 3), ages),
)
journals = st.lists(st.lists(actions, min_size=12, max_size=30), min_size=3, max_size=3)


class Writer:
    """Writes what a journal of actions says, with ids and dates that go by their order."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._embedder = get_embedder("hashing:64")
        self._count = 0

    def write(self, actions: list[Action]) -> None:
        """Append the events of the actions, in their order."""
        for name, *values in actions:
            self._count += 1
            make: Callable[..., Iterator[Event]] = getattr(self, f"_{name}")
            self._memory.store.append(list(make(*values)))

    def _when(self, age: int) -> dict[str, datetime]:
        now = START + timedelta(days=50, minutes=self._count)
        return {"occurred_at": now - timedelta(days=age), "recorded_at": now}

    def _state(
        self, text: str, age: int, kind: str, is_pinned: bool, has_vector: bool
    ) -> Iterator[Event]:
        yield MemoryWrite(
            memory_id=ids.memory_id("default", text),
            namespace="default",
            kind=kind,
            content=text,
            content_hash=ids.content_hash(text),
            is_pinned=is_pinned,
            actor="test",
            method="remembered",
            **self._when(age),
        )
        if has_vector:
            yield from self._embed(text)

    def _embed(self, text: str) -> Iterator[Event]:
        yield from embed(self._embedder, [(ids.content_hash(text), text)]).events

    def _say(self, text: str, age: int) -> Iterator[Event]:
        yield Message(
            message_id=f"message-{self._count}",
            namespace="default",
            session_id="session",
            message_seq=self._count,
            role="user",
            content=text,
            source="test",
            **self._when(age),
        )

    def _change(self, change: str, text: str, other: str, age: int) -> Iterator[Event]:
        yield MemoryChange(
            memory_id=ids.memory_id("default", text),
            change=change,
            other_memory_id=ids.memory_id("default", other) if change == "supersede" else None,
            actor="test",
            **self._when(age),
        )

    def _recall(
        self, found: list[str], task: str | None, similarity: float, age: int, is_past: bool
    ) -> Iterator[Event]:
        when = self._when(age)
        yield Recall(
            recall_id=f"recall-{self._count}",
            namespaces=["default"],
            query_text="where does the user live",
            model_id=self._embedder.model_id,
            top_k=5,
            min_similarity=0.0,
            as_of=START if is_past else None,
            actor="test",
            task_id=task,
            **when,
        )
        for rank, text in enumerate(found, 1):
            yield RecallHit(
                recall_id=f"recall-{self._count}",
                memory_id=ids.memory_id("default", text),
                hit_rank=rank,
                similarity=similarity / rank,
                lexical_score=0.5,
                strength=1.0,
                weight=1.0,
                score=similarity,
                **when,
            )

    def _start(self, task: str, age: int) -> Iterator[Event]:
        yield TaskStart(
            task_id=task, namespace="default", description=task, actor="test", **self._when(age)
        )

    def _end(self, task: str, age: int, is_completed: bool, tokens: int) -> Iterator[Event]:
        yield TaskEnd(
            task_id=task,
            tokens_used=tokens,
            is_completed=is_completed,
            actor="test",
            **self._when(age),
        )

    def _rate(self, task: str, text: str, rating: int, age: int) -> Iterator[Event]:
        yield Rating(
            task_id=task,
            memory_id=ids.memory_id("default", text),
            rating=rating,
            actor="test",
            **self._when(age),
        )


def all_rows(memory: Memory) -> dict[str, list[str]]:
    """The public relations, and what recall reads."""
    found = public_rows(memory.store.folder)
    with memory.store.read() as connection:
        for name in _INTERNAL:
            rows = fetch(connection, f"select * from internal.{name}")
            found[name] = sorted(repr(row) for row in rows)
    return found


@pytest.fixture(scope="module")
def fresh(built_store: Path) -> Iterator[Callable[[], Path]]:
    with tempfile.TemporaryDirectory() as folder:
        yield partial(_copy, built_store, Path(folder))


def _copy(store: Path, folder: Path) -> Path:
    shutil.rmtree(folder / "store", ignore_errors=True)
    return Path(shutil.copytree(store, folder / "store"))


@settings(
    max_examples=2,
    derandomize=True,
    deadline=None,
    # A build takes seconds: what fails is shown as it was drawn.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(steps=journals)
def test_any_journal_built_in_steps_leaves_what_a_full_refresh_leaves(
    fresh: Callable[[], Path], steps: list[list[Action]]
) -> None:
    memory = Memory(fresh(), clock=Clock())
    writer = Writer(memory)
    dbt = Dbt(memory.store.folder)
    for actions in steps:
        writer.write(actions)
        with memory.store.held():
            dbt.refresh()
    in_steps = all_rows(memory)
    with memory.store.held():
        dbt.build(full_refresh=True)

    assert_same_rows(in_steps, all_rows(memory))
