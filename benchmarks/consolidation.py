"""Consolidation at size: what a run costs when much is stored and little is new."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hashing_embedder import HashingEmbedder

from ebbing import journal
from ebbing.embedding.model import embed, model_event
from ebbing.journal import ids
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.recall.answering import vector_text
from ebbing.store.store import Store

_START = datetime(2026, 1, 1)
_BATCH = 2_000
_DIMENSION = 384
_COUNTS = """
    select
        (select count(*) from internal.int_memory_pairs),
        (select count(*) from internal.int_memory_pairs where pair_class = 'same'),
        (select count(*) from internal.int_memory_pairs where pair_class = 'update'),
        (select count(*) from long_term_memory)
"""
_RECALL = """
    select memory_id
    from recall($vector::varchar, query_text := $text, namespaces := ['bench'], as_of := $as_of)
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """Seconds of each run, and what was found; `all_pairs` is what comparing all with all costs."""

    memories: int
    added: int
    first_run: float
    run_with_nothing_new: float
    run_with_new: float
    compared_pairs: int
    all_pairs: int
    same: int
    updates: int
    live: int
    recall_milliseconds: float


def run(folder: Path, *, memories: int, added: int, progress: Progress | None = None) -> Scale:
    """Build a store of synthetic memories, then add a few, and time each run of dbt."""
    embedder = HashingEmbedder(_DIMENSION)
    store = Store(folder)
    store.create()
    store.append([model_event(embedder, at=_START)])
    texts = _texts(random.Random(11))
    _write(store, embedder, texts, memories, _START, progress)
    dbt = Dbt(folder, progress=progress)
    first = _timed(dbt.build)
    nothing = _timed(dbt.refresh)
    _write(store, embedder, texts, added, _START + timedelta(days=1), None)
    new = _timed(dbt.refresh)
    with store.read() as connection:
        counts = connection.execute(_COUNTS).fetchall()[0]
        vector = vector_text(embedder.embed_query("the port of the billing service"))
        parameters = {
            "vector": vector,
            "text": "the port of the billing service",
            "as_of": _START + timedelta(days=2),
        }
        connection.execute(_RECALL, parameters).fetchall()
        started = time.perf_counter()
        for _ in range(5):
            connection.execute(_RECALL, parameters).fetchall()
        recall = 1_000 * (time.perf_counter() - started) / 5
    stored = memories + added
    return Scale(
        memories=memories,
        added=added,
        first_run=first,
        run_with_nothing_new=nothing,
        run_with_new=new,
        compared_pairs=counts[0],
        all_pairs=stored * (stored - 1) // 2,
        same=counts[1],
        updates=counts[2],
        live=counts[3],
        recall_milliseconds=recall,
    )


def _timed(action: object) -> float:
    started = time.perf_counter()
    assert callable(action)
    action()
    return time.perf_counter() - started


def _write(
    store: Store,
    embedder: HashingEmbedder,
    texts: Iterator[str],
    count: int,
    at: datetime,
    progress: Progress | None,
) -> None:
    for start in range(0, count, _BATCH):
        batch = {next(texts) for _ in range(min(_BATCH, count - start))}
        pairs = [(ids.content_hash(text), text) for text in sorted(batch)]
        writes = [
            journal.MemoryWrite(
                memory_id=ids.memory_id("bench", text),
                namespace="bench",
                kind="fact",
                content=text,
                content_hash=content_hash,
                actor="bench",
                method="imported",
                occurred_at=at + timedelta(seconds=start + place),
                recorded_at=at,
            )
            for place, (content_hash, text) in enumerate(pairs)
        ]
        store.append([*writes, *embed(embedder, pairs).events])
        if progress is not None:
            progress(min(start + _BATCH, count), count, "writing")


def _texts(chance: random.Random) -> Iterator[str]:
    """Yield texts such as agents write; one in ten updates or rewords an earlier one."""
    services = [f"{a}-{b}" for a in _WORDS for b in ("api", "worker", "cache", "gateway", "store")]
    while True:
        service, word, other = chance.choice(services), chance.choice(_WORDS), chance.choice(_WORDS)
        number = chance.randrange(1_000, 65_000)
        yield chance.choice(
            (
                f"The port of {service} in cluster {number % 700} is {number}",
                f"{service} runs on host {word}-{number}",
                f"run {number}: p95 {number % 997} ms on {service}",
                f"The owner of the {word} {other} report {number} is team {other}",
                f"User prefers {word} over {other} for project {number}",
                f"The deadline of the {word} milestone {number} is {1 + number % 28} March",
                f"Ticket {number} about the {word} of {service} was closed",
                f"To restart {service}, run make {word}-{number}",
            )
        )


_WORDS = (
    "amber basil cedar delta ember fjord garnet harbor indigo jasper kelp lotus maple nectar onyx "
    "pepper quartz raven sable tundra umber velvet willow xenon yarrow zephyr"
).split()
