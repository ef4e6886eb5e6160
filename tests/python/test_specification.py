"""The specification's own figures, from plain SQL over a store of its four-dimensional vectors."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.embedding import Vector
from ebbing.embedding.protocol import Embedded, QueryMode
from ebbing.maintenance.dbt import Dbt

QUERY = [0.85, 0.15, 0.20, 0.05]
FIGURES = [0.996, 0.444, 0.351]


@dataclass(frozen=True, slots=True)
class Words:
    """The three memories and the question, in one language."""

    memories: tuple[str, str, str]
    question: str


VECTORS = ([0.9, 0.1, 0.2, 0.0], [0.2, 0.1, 0.9, 0.0], [0.1, 0.8, 0.3, 0.1])
WORDS = {
    "English": Words(
        ("The user lives in Hangzhou", "Deploys run on Friday", "Parsley grows on the balcony"),
        "Whereabouts?",
    ),
    "Chinese": Words(("用户住在杭州", "周五部署服务", "阳台上种着欧芹"), "何处?"),
}
# The specification gives the first of its three batched queries; the other two are reconstructed
# to bring back what it says that they do, 3 and 2 memories, at the threshold of 0.4.
BATCH = [(QUERY, [0, 1]), ([0.5, 0.6, 0.55, 0.0], [2, 1, 0]), ([0.1, 0.8, 0.3, 0.1], [2, 1])]

RANKINGS = ("balanced", "similarity", "strength_x_similarity")


class SpecificationEmbedder:
    """Gives each text the vector that the specification gives it."""

    name = "spec-4"
    model_id = "spec-4"
    dimension = 4
    query_mode: QueryMode = "same"

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded(self.embed_query(text)) for text in texts]

    def embed_query(self, text: str) -> Vector:
        for words in WORDS.values():
            if text == words.question:
                return _unit(QUERY)
            if text in words.memories:
                return _unit(VECTORS[words.memories.index(text)])
        raise AssertionError(f"the specification has no vector for {text!r}")


def _unit(vector: Sequence[float]) -> Vector:
    return tuple(number / math.hypot(*vector) for number in vector)


@dataclass(frozen=True, slots=True)
class Told:
    """A store that was told the three memories at one moment, and what it was told."""

    memory: Memory
    words: Words
    clock: Clock

    def bare(self) -> duckdb.DuckDBPyConnection:
        """A client that knows nothing of ebbing."""
        return duckdb.connect(str(self.memory.store.path), read_only=True)

    def rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self.bare() as connection:
            return connection.execute(statement, parameters).fetchall()


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("specification") / "store"
    Memory.create(folder, embedder=SpecificationEmbedder(), clock=Clock())
    return folder


@pytest.fixture(scope="module")
def ranked_stores(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The empty store, built once for each ranking."""
    stores = {"balanced": empty_store}
    for ranking in RANKINGS[1:]:
        stores[ranking] = tmp_path_factory.mktemp(ranking) / "store"
        shutil.copytree(empty_store, stores[ranking])
        memory = Memory(stores[ranking])
        dbt = Dbt(memory.store.folder, variables={"ranking": ranking})
        with memory.store.held():
            # By path, as the name `recall` alone is the whole folder's too.
            dbt.run(
                "run",
                "--select",
                "path:models/recall/recall.sql",
                "path:models/recall/recall_many.sql",
            )
    return stores


def _tell(source: Path, folder: Path, words: Words) -> Told:
    shutil.copytree(source, folder)
    clock = Clock()
    memory = Memory(folder, embedder=SpecificationEmbedder(), clock=clock)
    for content in words.memories:
        memory.remember(content)
    return Told(memory, words, clock)


@pytest.fixture(scope="module", params=sorted(WORDS))
def told(
    request: pytest.FixtureRequest, empty_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Told:
    return _tell(
        empty_store, tmp_path_factory.mktemp(request.param) / "store", WORDS[request.param]
    )


@pytest.fixture(scope="module")
def used(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """The memories were asked for on the tenth day, and maintained."""
    told = _tell(empty_store, tmp_path_factory.mktemp("used") / "store", WORDS["English"])
    told.clock.forward(days=10)
    told.memory.recall(told.words.question)
    told.memory.maintain()
    yield told
    told.memory.flush()


def test_the_query_gives_0_996_0_444_and_0_351_in_that_order(told: Told) -> None:
    rows = told.rows(f"select content, similarity from recall({QUERY})")

    assert [content for content, _ in rows] == list(told.words.memories)
    assert [round(similarity, 3) for _, similarity in rows] == FIGURES


def test_recall_has_the_columns_that_it_promises(told: Told) -> None:
    with told.bare() as connection:
        columns = connection.execute(f"from recall({QUERY})").description

    assert [column[0] for column in columns] == [
        "memory_id",
        "kind",
        "content",
        "similarity",
        "lexical_score",
        "strength",
        "weight",
        "score",
        "created_at",
        "last_accessed_at",
        "source",
        "is_outdated",
    ]


def test_three_batched_queries_at_0_4_give_2_3_and_2_memories_in_order(told: Told) -> None:
    with told.bare() as connection:
        connection.execute(
            "create temp table asked (query_id integer, query_vector float[], query_text varchar)"
        )
        connection.executemany(
            "insert into asked values (?, ?, null)",
            [(number, vector) for number, (vector, _) in enumerate(BATCH)],
        )
        rows = connection.execute(
            "select query_id, content from recall_many('asked', min_similarity := 0.4)"
        ).fetchall()

    for number, (_, expected) in enumerate(BATCH):
        found = [content for query_id, content in rows if query_id == number]
        assert found == [told.words.memories[position] for position in expected]


def test_a_batch_answers_each_query_as_it_is_answered_alone(told: Told) -> None:
    with told.bare() as connection:
        connection.execute(
            "create temp table asked as select * from (values "
            + ", ".join(f"({n}, {vector}, null)" for n, (vector, _) in enumerate(BATCH))
            + ") as asked (query_id, query_vector, query_text)"
        )
        moment = "as_of := timestamp '2026-01-08 00:00:00'"
        together = connection.execute(f"from recall_many('asked', {moment})").fetchall()
        alone = [
            (number, *row)
            for number, (vector, _) in enumerate(BATCH)
            for row in connection.execute(f"from recall({vector}, {moment})").fetchall()
        ]

    assert together == alone


@pytest.mark.parametrize(
    ("days", "strength"), [(0, 1.0), (10, 0.95**10), (0.5, 0.95**0.5), (30, 0.3), (100, 0.3)]
)
def test_disuse_decays_by_0_95_a_day_to_the_floor(told: Told, days: float, strength: float) -> None:
    rows = told.rows(
        f"select strength from recall({QUERY}, as_of := ?)", START + timedelta(days=days)
    )

    assert len(rows) == 3
    assert all(row[0] == pytest.approx(strength, rel=0, abs=1e-12) for row in rows)


def test_an_access_above_0_7_moves_strength_to_0_95_s_and_0_05(used: Told) -> None:
    accessed, *others = used.rows(
        "select content, strength, strengthened_at, access_count from long_term_memory "
        "order by access_count desc, content"
    )

    assert accessed[0] == used.words.memories[0]
    assert accessed[1] == pytest.approx(0.95 * 0.95**10 + 0.05, rel=0, abs=1e-12)
    assert accessed[2:] == (START + timedelta(days=10), 1)
    # 0.444 and 0.351 are below 0.7: not strengthened, whether or not they were recalled.
    assert [row[1:] for row in others] == [(1.0, START, 0)] * 2


def test_the_access_counts_from_its_own_moment_on(used: Told) -> None:
    statement = f"select strength from recall({QUERY}, top_k := 1, as_of := ?)"
    before, after = (used.rows(statement, START + timedelta(days=day))[0][0] for day in (9.5, 12))

    assert before == pytest.approx(0.95**9.5, rel=0, abs=1e-12)
    assert after == pytest.approx((0.95 * 0.95**10 + 0.05) * 0.95**2, rel=0, abs=1e-12)


def test_strength_x_similarity_ranks_by_the_plain_product(
    ranked_stores: dict[str, Path], tmp_path: Path
) -> None:
    told = _tell(ranked_stores["strength_x_similarity"], tmp_path / "store", WORDS["English"])
    told.clock.forward(days=100)
    told.memory.remember(told.words.memories[1], namespace="other")

    rows = told.rows(
        f"select content, similarity, strength, score "
        f"from recall({QUERY}, namespaces := ['default', 'other'], as_of := ?)",
        told.clock.now,
    )

    # 0.444 x 1 is more than 0.996 x 0.3, which is more than 0.444 x 0.3.
    assert [row[0] for row in rows[:2]] == [told.words.memories[1], told.words.memories[0]]
    assert [row[2] for row in rows[:2]] == [1.0, 0.3]
    for _, similarity, strength, score in rows:
        assert score == pytest.approx(similarity * strength, rel=0, abs=1e-7)


def test_similarity_ranks_by_the_cosine_alone(
    ranked_stores: dict[str, Path], tmp_path: Path
) -> None:
    told = _tell(ranked_stores["similarity"], tmp_path / "store", WORDS["Chinese"])

    for days in (0, 50):
        rows = told.rows(
            f"select content, similarity, score from recall({QUERY}, as_of := ?)",
            START + timedelta(days=days),
        )
        assert [row[0] for row in rows] == list(told.words.memories)
        assert all(row[2] == pytest.approx(row[1], rel=0, abs=1e-7) for row in rows)


@pytest.mark.parametrize("ranking", RANKINGS)
@pytest.mark.parametrize("language", sorted(WORDS))
def test_c4_no_memory_outranks_the_exact_text(
    ranked_stores: dict[str, Path], tmp_path: Path, ranking: str, language: str
) -> None:
    words = WORDS[language]
    told = _tell(ranked_stores[ranking], tmp_path / "store", words)
    now = START + timedelta(days=400)
    # Faded for a year, beside the same text in another scope that is fresh.
    told.clock.now = now
    told.memory.remember(words.memories[0], namespace="fresh")
    asked = [
        (content, VECTORS[position], text)
        for position, content in enumerate(words.memories)
        for text in (content, None, f"  {content.upper()} ")
    ]
    with told.bare() as connection:
        connection.execute(
            "create temp table asked (query_id integer, query_vector float[], query_text varchar)"
        )
        connection.executemany(
            "insert into asked values (?, ?, ?)",
            [(number, vector, text) for number, (_, vector, text) in enumerate(asked)],
        )
        rows = connection.execute(
            "select query_id, content, score from recall_many('asked', as_of := ?, "
            "namespaces := ['default', 'fresh'], min_similarity := -1)",
            [now],
        ).fetchall()
    for number, (content, _, _) in enumerate(asked):
        scores = {found: score for query_id, found, score in rows if query_id == number}
        assert scores[content] == max(scores.values())


def test_recall_runs_in_a_process_that_has_only_duckdb(told: Told) -> None:
    script = (
        "import sys, duckdb; connection = duckdb.connect(sys.argv[1], read_only=True); "
        f"rows = connection.sql('from recall({QUERY})').fetchall(); "
        "assert 'ebbing' not in sys.modules; "
        "print([round(row[3], 3) for row in rows])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(told.memory.store.path)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == str(FIGURES)


def test_parameters_may_be_bound_named_or_left_out(told: Told) -> None:
    moment = datetime(2026, 1, 9)
    expected = told.rows(f"from recall({QUERY}, as_of := timestamp '2026-01-09')")
    assert len(expected) == 3

    assert told.rows("from recall(?::float[4], as_of := ?)", QUERY, moment) == expected
    assert told.rows("from recall(?::varchar, as_of := ?)", str(QUERY), moment) == expected
    with told.bare() as connection:
        named = connection.execute(
            "from recall($vector, query_text := $text, top_k := $top_k, "
            "namespaces := $namespaces, kinds := $kinds, min_similarity := $least, "
            "as_of := $moment)",
            {
                "vector": QUERY,
                "text": None,
                "top_k": 5,
                "namespaces": ["default"],
                "kinds": ["fact"],
                "least": 0.0,
                "moment": moment,
            },
        ).fetchall()
    assert named == expected
    assert told.rows("from recall(?, top_k := 1, as_of := ?)", QUERY, moment) == expected[:1]


def test_words_alone_are_enough_and_so_is_a_vector_alone(told: Told) -> None:
    content = told.words.memories[0]

    by_words = told.rows("select content, similarity from recall(null, query_text := ?)", content)
    assert by_words[0] == (content, None)
    by_vector = told.rows("select content, lexical_score from recall(?)", QUERY)
    assert by_vector[0] == (content, 0.0)
    assert told.rows("from recall(null)") == []
    assert told.rows("from recall(null, query_text := '')") == []


def test_a_zero_or_infinite_vector_is_near_nothing(told: Told) -> None:
    assert told.rows("from recall([0, 0, 0, 0])") == []
    assert told.rows("from recall(['nan'::float, 0, 0, 0])") == []
    assert told.rows("from recall(['inf'::float, 0, 0, 0])") == []


def test_a_vector_of_another_size_is_refused(told: Told) -> None:
    with pytest.raises(duckdb.ConversionException, match="length 2 to array with length 4"):
        told.rows("from recall([1, 2])")


@pytest.mark.parametrize(
    "namespaces", ["null", "[]", "['']", "[null]", "['a'' or 1=1']", "['DEFAULT']", "['default ']"]
)
def test_c1_no_other_scope_gives_anything(told: Told, namespaces: str) -> None:
    assert told.rows(f"from recall({QUERY}, namespaces := {namespaces})") == []


@pytest.mark.parametrize("namespaces", ["'default'", "''", "'a'' or 1=1'", "1"])
def test_c1_a_scope_that_is_no_list_is_an_error(told: Told, namespaces: str) -> None:
    with pytest.raises(duckdb.ConversionException):
        told.rows(f"from recall({QUERY}, namespaces := {namespaces})")
