"""LoCoMo evidence retrieval: each turn a memory, each question a query within its conversation.

Maharana et al., 2024. The file is read from where it lies; nothing of it is kept but in the store
that the caller names.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from ebbing import journal
from ebbing.clock import parse_time
from ebbing.embedding import Embedder
from ebbing.embedding.model import embed, model_event
from ebbing.errors import InputError
from ebbing.journal import ids
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.project import project_dir
from ebbing.recall.answering import vector_text
from ebbing.safety.text import clean
from ebbing.store.store import Store

CUTOFFS = (5, 10, 20)
_CATEGORIES = (1, 2, 3, 4)
_BATCH = 64
_TIMED = 60
_SESSION = re.compile(r"session_(\d+)")
# "D8:6; D9:17", "D:11:26" and "D30:05" occur beside "D8:6".
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")

_PLAIN_BM25 = """
    select query_id, memory_id
    from plain_bm25('asked', top_k := $top_k, namespaces := [$namespace])
"""

_RECALL_MANY = """
    select query_id, memory_id
    from recall_many(
        'asked',
        top_k := $top_k,
        namespaces := [$namespace],
        as_of := $as_of::timestamp
    )
"""


_RECALL = """
    select memory_id
    from recall(
        $vector::varchar,
        query_text := $text::varchar,
        top_k := 10,
        namespaces := [$namespace],
        as_of := $as_of::timestamp
    )
"""

_ASKED = """
    create or replace temp table asked as
    select
        unnest($ids::integer[]) as query_id,
        unnest($vectors::varchar[]) as query_vector,
        unnest($texts::varchar[]) as query_text
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """One ranking's figures over all questions: recall at 5, 10 and 20, and MRR, from 0 to 1."""

    ranking: str
    recall_at: tuple[float, ...]
    mean_reciprocal_rank: float
    milliseconds: float | None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What was measured, on what."""

    conversations: int
    turns: int
    questions: int
    model_id: str
    figures: tuple[Figures, ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    namespace: str
    evidence_id: str
    memory_id: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Question:
    namespace: str
    text: str
    evidence: frozenset[str]


def run(
    data: Path, store_folder: Path, *, embedder: Embedder, progress: Progress | None = None
) -> Benchmark:
    """Build a store of all turns, or take up one that was begun, and ask all questions."""
    turns, questions = _read(data)
    store = Store(store_folder)
    if store.create():
        store.append([model_event(embedder, at=turns[0].at)])
    _write(store, embedder, turns, progress)
    vectors = [embedder.embed_query(question.text) for question in questions]
    as_of = max(turn.at for turn in turns) + timedelta(days=1)
    # The ranking is measured bare; then once more with the threshold that users have.
    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as folder:
        project = _with_baseline(Path(folder))
        variables = {"min_relevance": 0.0, "least_share": 0.0}
        Dbt(store.folder, variables=variables, project=project, progress=progress).build()
    figures = list(_measure(store, turns, questions, vectors, as_of))
    Dbt(store.folder).run("run", "--select", "recall", "recall_many")
    asked = _Asked(vectors, [question.text for question in questions])
    figures.append(_figures("fused, default threshold", store, turns, questions, asked, as_of))
    return Benchmark(
        conversations=len({turn.namespace for turn in turns}),
        turns=len(turns),
        questions=len(questions),
        model_id=embedder.model_id,
        figures=tuple(figures),
    )


def _with_baseline(folder: Path) -> Path:
    """Return the project with the plain ranking in it, which users' stores have no need of."""
    source = project_dir()
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(source / name, folder / name)
    for name in ("models", "macros", "seeds", "tests/generic"):
        shutil.copytree(source / name, folder / name)
    shutil.copytree(Path(__file__).parent / "models", folder / "models" / "benchmarks")
    return folder


def _measure(
    store: Store,
    turns: Sequence[_Turn],
    questions: Sequence[_Question],
    vectors: Sequence[Sequence[float]],
    as_of: datetime,
) -> Iterator[Figures]:
    texts = [question.text for question in questions]
    nothing = [None] * len(questions)

    def plain(connection: duckdb.DuckDBPyConnection, namespace: str) -> list[tuple[int, str]]:
        return connection.execute(
            _PLAIN_BM25, {"top_k": max(CUTOFFS), "namespace": namespace}
        ).fetchall()

    yield _score("plain BM25", store, turns, questions, _Asked(nothing, texts), plain, None)
    for ranking, asked in (
        ("words", _Asked(nothing, texts)),
        ("vectors", _Asked(vectors, nothing)),
        ("fused", _Asked(vectors, texts)),
    ):
        yield _figures(ranking, store, turns, questions, asked, as_of)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is given of each question: its vector, its text, or both."""

    vectors: Sequence[Sequence[float] | None]
    texts: Sequence[str | None]

    def vector(self, number: int) -> str | None:
        return vector_text(self.vectors[number])


def _figures(
    ranking: str,
    store: Store,
    turns: Sequence[_Turn],
    questions: Sequence[_Question],
    asked: _Asked,
    as_of: datetime,
) -> Figures:
    def many(connection: duckdb.DuckDBPyConnection, namespace: str) -> list[tuple[int, str]]:
        return connection.execute(
            _RECALL_MANY, {"top_k": max(CUTOFFS), "namespace": namespace, "as_of": as_of}
        ).fetchall()

    def once(connection: duckdb.DuckDBPyConnection, number: int) -> None:
        connection.execute(
            _RECALL,
            {
                "vector": asked.vector(number),
                "text": asked.texts[number],
                "namespace": questions[number].namespace,
                "as_of": as_of,
            },
        ).fetchall()

    with store.read() as connection:
        timed = range(0, len(questions), max(1, len(questions) // _TIMED))
        once(connection, 0)
        started = time.perf_counter()
        for number in timed:
            once(connection, number)
        milliseconds = 1_000 * (time.perf_counter() - started) / len(timed)
    return _score(ranking, store, turns, questions, asked, many, milliseconds)


_Answers = Callable[[duckdb.DuckDBPyConnection, str], list[tuple[int, str]]]


def _score(
    ranking: str,
    store: Store,
    turns: Sequence[_Turn],
    questions: Sequence[_Question],
    asked: _Asked,
    answers: _Answers,
    milliseconds: float | None,
) -> Figures:
    found: dict[int, list[str]] = {number: [] for number in range(len(questions))}
    with store.read() as connection:
        canonical = dict(
            connection.execute(
                "select memory_id, canonical_id from internal.int_memory_canonicals"
            ).fetchall()
        )
        for namespace in sorted({question.namespace for question in questions}):
            numbers = [n for n, question in enumerate(questions) if question.namespace == namespace]
            connection.execute(
                _ASKED,
                {
                    "ids": numbers,
                    "vectors": [asked.vector(number) for number in numbers],
                    "texts": [asked.texts[number] for number in numbers],
                },
            )
            for number, memory_id in answers(connection, namespace):
                found[number].append(memory_id)
    memory_of = {(turn.namespace, turn.evidence_id): canonical[turn.memory_id] for turn in turns}
    recalls = [0.0] * len(CUTOFFS)
    reciprocal = 0.0
    for number, question in enumerate(questions):
        wanted = {memory_of[question.namespace, evidence] for evidence in question.evidence}
        for place, cutoff in enumerate(CUTOFFS):
            recalls[place] += len(wanted & set(found[number][:cutoff])) / len(wanted)
        ranks = [rank for rank, each in enumerate(found[number], start=1) if each in wanted]
        reciprocal += 1 / ranks[0] if ranks else 0.0
    return Figures(
        ranking=ranking,
        recall_at=tuple(total / len(questions) for total in recalls),
        mean_reciprocal_rank=reciprocal / len(questions),
        milliseconds=milliseconds,
    )


def _write(
    store: Store, embedder: Embedder, turns: Sequence[_Turn], progress: Progress | None
) -> None:
    """Append turns and vectors in batches; what a run before this one appended is skipped."""
    with store.read() as connection:
        written = {
            row[0]
            for row in connection.execute("select memory_id from journal.memory_writes").fetchall()
        }
        embedded = {
            row[0]
            for row in connection.execute(
                "select content_hash from journal.embeddings where model_id = ?",
                [embedder.model_id],
            ).fetchall()
        }
    store.append(
        [
            journal.MemoryWrite(
                memory_id=turn.memory_id,
                namespace=turn.namespace,
                kind="fact",
                content=turn.content,
                content_hash=ids.content_hash(turn.content),
                actor="locomo",
                method="imported",
                metadata=json.dumps({"turn": turn.evidence_id}),
                occurred_at=turn.at,
                recorded_at=turn.at,
            )
            for turn in turns
            if turn.memory_id not in written
        ]
    )
    texts = {ids.content_hash(turn.content): turn.content for turn in turns}
    waiting = [pair for pair in texts.items() if pair[0] not in embedded]
    for start in range(0, len(waiting), _BATCH):
        store.append(embed(embedder, waiting[start : start + _BATCH]).events)
        if progress is not None:
            progress(min(start + _BATCH, len(waiting)), len(waiting), "embedding")


def _read(data: Path) -> tuple[list[_Turn], list[_Question]]:
    try:
        conversations = json.loads(data.read_text("utf-8"))
        turns = [turn for each in conversations for turn in _turns(each)]
        known = {(turn.namespace, turn.evidence_id) for turn in turns}
        questions = [question for each in conversations for question in _questions(each, known)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{data} cannot be read as LoCoMo ({error}); nothing was measured; "
            "give the path of locomo10.json"
        ) from None
    return turns, questions


def _turns(conversation: dict[str, Any]) -> Iterator[_Turn]:
    namespace = str(conversation["sample_id"])
    log = conversation["conversation"]
    for name, session in log.items():
        if not _SESSION.fullmatch(name):
            continue
        began = parse_time(log[f"{name}_date_time"])
        for place, turn in enumerate(session):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            content = clean(f"{turn['speaker']}: {turn['text']}{caption}")
            yield _Turn(
                namespace=namespace,
                evidence_id=_normalised(turn["dia_id"])[0],
                memory_id=ids.memory_id(namespace, content),
                content=content,
                at=began + timedelta(seconds=place),
            )


def _questions(conversation: dict[str, Any], known: set[tuple[str, str]]) -> Iterator[_Question]:
    namespace = str(conversation["sample_id"])
    for item in conversation["qa"]:
        if item["category"] not in _CATEGORIES:
            continue
        given = " ".join(map(str, item.get("evidence", [])))
        evidence = frozenset(each for each in _normalised(given) if (namespace, each) in known)
        if evidence:
            yield _Question(namespace, clean(item["question"]), evidence)


def _normalised(evidence: str) -> list[str]:
    return [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(evidence)]
