"""Recall against its plain definition: the same rows, whatever was written, forgotten and asked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conftest import START, Clock
from ebbing import Memory, journal
from ebbing.embedding import get_embedder
from ebbing.journal.writing import write_event
from store_harness import dbt_command

ORACLE = Path(__file__).parents[1] / "fixtures" / "recall_oracle.sql"
MODEL = "hashing:64"
NOW = START + timedelta(days=40)

# Few, and alike, so that they meet one another: as statements, as queries, in several scopes.
TEXTS = (
    "The router IP is 192.168.7.1",
    "The router IP is 192.168.9.1",
    "the ROUTER ip is 192.168.9.1",
    "Router, router, router: three of them by the door",
    "The build takes 14 minutes",
    "To reindex, stop the worker first",
    "Caroline's sister plays the violin",
    "Caroline plays chess on Fridays",
    "the of and to",
    "今天玩成语接龙游戏",
    "成语接龙的规则",
    "用户不吃辣",
    "오늘 끝말잇기 게임을 했다",
    "C++ and c# in src/main.py",
    "x",
    "???",
)
NAMESPACES = ("a", "b", "other")
KINDS = ("fact", "skill", "preference", "recipe")
QUERIES = (
    *TEXTS,
    "router",
    "who plays what",
    "the",
    "游戏",
    "violin sister",
    "nothing like it",
    "where in Leeds or York the user lives",
    "",
)

days = st.integers(min_value=-2, max_value=44)


@dataclass(frozen=True)
class Written:
    """One statement in the journal."""

    text: str
    namespace: str
    kind: str
    method: str
    day: int
    expires_on: int | None
    has_vector: bool


@dataclass(frozen=True)
class Changed:
    """A change of state of some text, stored or not."""

    text: str
    namespace: str
    change: str


@dataclass(frozen=True)
class Asked:
    """What a query is bound to."""

    text: str | None
    vector_of: str | None
    namespaces: tuple[str, ...]
    kinds: tuple[str, ...] | None
    min_similarity: float
    top_k: int
    day: int


writes = st.builds(
    Written,
    text=st.sampled_from(TEXTS),
    namespace=st.sampled_from(NAMESPACES),
    kind=st.sampled_from(KINDS),
    method=st.sampled_from(("remembered", "corrected", "inferred", "unheard of")),
    day=days,
    expires_on=st.none() | days,
    has_vector=st.booleans(),
)
changes = st.builds(
    Changed,
    text=st.sampled_from(TEXTS),
    namespace=st.sampled_from(NAMESPACES),
    change=st.sampled_from(("forget", "restore", "supersede", "pin")),
)
questions = st.builds(
    Asked,
    text=st.none() | st.sampled_from(QUERIES),
    vector_of=st.none() | st.sampled_from(TEXTS),
    namespaces=st.lists(st.sampled_from((*NAMESPACES, "", "nowhere")), max_size=3).map(tuple),
    kinds=st.none() | st.lists(st.sampled_from(KINDS), max_size=2).map(tuple),
    min_similarity=st.sampled_from((-1.0, 0.0, 0.3, 0.9)),
    top_k=st.sampled_from((1, 3, 5, 100)),
    day=st.sampled_from((40, 41, 400, 30, 12, 11, 3, 0, -1)),
)


@pytest.fixture(scope="module")
def lived(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty days of a life in three scopes, maintained twice."""
    folder = tmp_path_factory.mktemp("oracle") / "store"
    shutil.copytree(built_store, folder)
    clock = Clock()
    of = {name: Memory(folder, namespace=name, clock=clock) for name in NAMESPACES}
    ids = {}
    for number, text in enumerate(TEXTS[:12]):
        for name in NAMESPACES[: 1 + number % 3]:
            ids[name, text] = of[name].remember(text, kind=KINDS[number % 4]).memory_id
            clock.forward(hours=5 if number % 3 else 0.3)
    # The first says more than the second contradicts, so both stay live.
    of["a"].remember("User lives in Leeds. User's dog is called Rex")
    clock.forward(hours=5)
    of["a"].remember("User lives in York")
    of["a"].remember("The launch is in spring", at=START + timedelta(days=60))
    of["a"].remember("A coupon for the market", expires_at=START + timedelta(days=20))
    clock.now = START + timedelta(days=10)
    of["a"].recall("router IP")
    of["a"].recall("violin")
    of["a"].forget(ids["a", TEXTS[4]])
    of["a"].forget(ids["a", TEXTS[6]])
    of["b"].forget(ids["b", TEXTS[1]])
    of["a"].maintain()
    clock.now = START + timedelta(days=20)
    of["a"].restore(ids["a", TEXTS[6]])
    of["a"].recall("router IP address of the house", namespaces=["a", "b"])
    of["b"].remember(TEXTS[13])
    of["b"].remember(TEXTS[8])
    clock.now = NOW - timedelta(days=1)
    of["a"].maintain()
    for memory in of.values():
        memory.flush()
    return folder


@dataclass(frozen=True)
class Oracle:
    """The plain definition; too long to be shown with every failure."""

    statement: str = field(repr=False)


@pytest.fixture(scope="module")
def oracle(lived: Path) -> Oracle:
    done = dbt_command(
        lived,
        *("--quiet", "compile", "--no-populate-cache", "--output", "json"),
        *("--inline", ORACLE.read_text("utf-8")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Oracle(json.loads(done.stdout)["compiled"])


@pytest.fixture(scope="module")
def connection(lived: Path, oracle: Oracle) -> Iterator[duckdb.DuckDBPyConnection]:
    with Memory(lived).store.write() as opened:
        yield opened


def day(number: int) -> datetime:
    return START + timedelta(days=number, hours=1)


def vector(text: str) -> str:
    return json.dumps(list(get_embedder(MODEL).embed_query(text)))


def events(told: list[Written | Changed]) -> list[journal.Event]:
    """What the runner would append, one after the other."""
    appended: list[journal.Event] = []
    for number, each in enumerate(told):
        at = NOW + timedelta(seconds=number)
        if isinstance(each, Changed):
            appended.append(
                journal.MemoryChange(
                    memory_id=journal.ids.memory_id(each.namespace, each.text),
                    change=each.change,
                    actor="user",
                    occurred_at=at,
                    recorded_at=at,
                )
            )
            continue
        write, _ = write_event(
            each.text,
            namespace=each.namespace,
            kind=each.kind,
            actor="user",
            method=each.method,
            at=day(each.day),
            recorded_at=at,
            expires_at=None if each.expires_on is None else day(each.expires_on),
        )
        appended.append(write)
        if each.has_vector:
            embedded = get_embedder(MODEL).embed_passages([each.text])[0]
            assert embedded.vector is not None
            appended.append(
                journal.Embedding(
                    content_hash=write.content_hash,
                    model_id=get_embedder(MODEL).model_id,
                    vector=embedded.vector,
                    recorded_at=at,
                )
            )
    return appended


def rows(
    connection: duckdb.DuckDBPyConnection, statement: str, asked: Asked
) -> list[dict[str, Any]]:
    found = connection.execute(
        statement,
        {
            "query_vector": None if asked.vector_of is None else vector(asked.vector_of),
            "query_text": asked.text,
            "top_k": asked.top_k,
            "namespaces": list(asked.namespaces),
            "kinds": None if asked.kinds is None else list(asked.kinds),
            "min_similarity": asked.min_similarity,
            "as_of": day(asked.day),
        },
    )
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


PARAMETERS = """
    $query_vector::varchar,
    query_text := $query_text::varchar,
    top_k := $top_k,
    namespaces := $namespaces::varchar[],
    kinds := $kinds::varchar[],
    min_similarity := $min_similarity,
    as_of := $as_of::timestamp
"""
RECALL = f"select * from recall({PARAMETERS})"
EXPLAINED = f"select * from recall_explained({PARAMETERS})"
MANY = """
    select * exclude (query_id)
    from recall_many(
        'asked',
        top_k := $top_k,
        namespaces := $namespaces::varchar[],
        kinds := $kinds::varchar[],
        min_similarity := $min_similarity,
        as_of := $as_of::timestamp
    )
    where query_id = 2
"""


def many(connection: duckdb.DuckDBPyConnection, asked: Asked) -> list[dict[str, Any]]:
    """Ask the same question as the second of three."""
    connection.execute(
        "create or replace temp table asked as "
        "select unnest([1, 2, 3]) as query_id, "
        "unnest([$other, $query_vector, null]) as query_vector, "
        "unnest(['router', $query_text, 'violin']) as query_text",
        {
            "other": vector("The router"),
            "query_vector": None if asked.vector_of is None else vector(asked.vector_of),
            "query_text": asked.text,
        },
    )
    parameters = {
        "top_k": asked.top_k,
        "namespaces": list(asked.namespaces),
        "kinds": None if asked.kinds is None else list(asked.kinds),
        "min_similarity": asked.min_similarity,
        "as_of": day(asked.day),
    }
    found = connection.execute(MANY, parameters)
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def assert_same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """The same memories with the same numbers, in the same order but for equal scores."""
    by_id = {row["memory_id"]: row for row in expected}
    assert sorted(row["memory_id"] for row in found) == sorted(by_id)
    for row in found:
        right = by_id[row["memory_id"]]
        for name in row.keys() & right.keys() - {"recall_rank"}:
            value = right[name]
            assert row[name] == (
                pytest.approx(value, abs=1e-6) if isinstance(value, float) else value
            ), (name, row, right)
    scores = [by_id[row["memory_id"]]["score"] for row in found]
    above = [by_id[row["memory_id"]].get("is_above_threshold", True) for row in found]
    assert above == sorted(above, reverse=True)
    for which in (True, False):
        ordered = [
            score for score, is_above in zip(scores, above, strict=True) if is_above is which
        ]
        assert ordered == pytest.approx(sorted(ordered, reverse=True), abs=1e-6)


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    # Shrinking asks for thousands of recalls; what failed is small enough to read.
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    told=st.lists(writes | changes, max_size=12),
    asked=st.lists(questions, min_size=1, max_size=4),
)
def test_recall_is_what_its_plain_definition_says(
    connection: duckdb.DuckDBPyConnection,
    oracle: Oracle,
    told: list[Written | Changed],
    asked: list[Asked],
) -> None:
    connection.execute("begin")
    try:
        journal.insert(connection, events(told))
        for question in asked:
            expected = rows(connection, oracle.statement, question)
            explained = rows(connection, EXPLAINED, question)
            recalled = rows(connection, RECALL, question)
            assert_same(explained, expected)
            assert [row["recall_rank"] for row in explained] == [*range(1, len(explained) + 1)]
            # What is explained as recalled is what is recalled, one by one or among others.
            best = [row["memory_id"] for row in explained if row["is_recalled"]]
            assert len(best) == sum(row["is_recalled"] for row in expected)
            assert [row["memory_id"] for row in recalled] == best
            assert many(connection, question) == recalled
            assert_same(recalled, [row for row in expected if row["memory_id"] in best])
    finally:
        connection.execute("rollback")


def test_a_recall_is_planned_in_few_steps(connection: duckdb.DuckDBPyConnection) -> None:
    # On a store of a few thousand memories the plan is nearly all of what a recall costs.
    plan = connection.execute(
        f"explain (format json) {RECALL}",
        {
            "query_vector": vector("router"),
            "query_text": "Where is the router?",
            "top_k": 5,
            "namespaces": ["a"],
            "kinds": None,
            "min_similarity": 0.0,
            "as_of": NOW,
        },
    ).fetchall()

    assert 50 < plan[0][1].count('"name"') <= 200
