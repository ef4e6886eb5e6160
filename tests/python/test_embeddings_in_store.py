"""One model to a store; a vector for every text, once; and a way to change over."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hashing_embedder import HashingEmbedder

from conftest import START, Clock
from ebbing import Memory, journal
from ebbing.embedding import Embedded, Vector, get_embedder
from ebbing.errors import EmbeddingError, ModelMismatch, ProviderError
from ebbing.journal import ids
from ebbing.rows import fetch
from store_harness import dbt_command, killed

TEXTS = tuple(f"Box {number} holds {number * 7} screws" for number in range(130))


class Counting(HashingEmbedder):
    """Knows what it was asked for, and can be down or refuse a text."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.asked: list[str] = []
        self.is_down = False

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        if self.is_down:
            raise ProviderError("the provider timed out; nothing was lost; try again later")
        self.asked += texts
        return [
            Embedded(None, "refused: the model gave no vector") if "unspeakable" in text else found
            for text, found in zip(texts, super().embed_passages(texts), strict=True)
        ]

    def embed_query(self, text: str) -> Vector:
        if self.is_down:
            raise ProviderError("the provider timed out; nothing was lost; try again later")
        return super().embed_query(text)


class Shortened(HashingEmbedder):
    """Says that it is the store's model, and gives vectors of another dimension."""

    model_id = "hashing/64"

    def __init__(self) -> None:
        super().__init__(32)


class Renamed(HashingEmbedder):
    """Another model of the same dimension."""

    name = "renamed:64"
    model_id = "renamed/64"

    def __init__(self) -> None:
        super().__init__(64)


def counts(memory: Memory) -> dict[str, int]:
    with memory.store.read() as connection:
        return dict(
            fetch(connection, "select model_id, count(*) from journal.embeddings group by model_id")
        )


def events(memory: Memory) -> int:
    with memory.store.read() as connection:
        tables = [event.table for event in journal.EVENT_TYPES]
        return sum(
            fetch(connection, f"select count(*) from journal.{table}")[0][0] for table in tables
        )


def write(number: int, content: str) -> journal.MemoryWrite:
    at = START + timedelta(seconds=number)
    return journal.MemoryWrite(
        memory_id=ids.memory_id("default", content),
        namespace="default",
        kind="fact",
        content=content,
        content_hash=ids.content_hash(content),
        actor="test",
        method="remembered",
        occurred_at=at,
        recorded_at=at,
    )


@pytest.mark.parametrize("embedder", [get_embedder("hashing:32"), Shortened(), Renamed()])
def test_e1_e2_another_model_is_refused_before_anything_is_written(
    store_path: Path, embedder: HashingEmbedder
) -> None:
    Memory(store_path, clock=Clock()).remember("The attic is dry")
    memory = Memory(store_path, embedder=embedder, clock=Clock())
    before = events(memory)
    for call in (
        lambda: memory.remember("The cellar is damp"),
        lambda: memory.recall("attic"),
        lambda: memory.start_task("air the cellar"),
        lambda: Memory.create(store_path, embedder=embedder),
    ):
        with pytest.raises(ModelMismatch, match="ebbing reembed --model") as raised:
            call()
        assert "\n" not in str(raised.value)
        assert "nothing was written" in str(raised.value)
    memory.flush()
    assert events(memory) == before
    assert memory.store.spool.waiting() == []


def test_e1_a_store_of_another_model_is_not_made_anew(store_path: Path) -> None:
    with pytest.raises(ModelMismatch, match="hashing/64, not of hashing/32"):
        Memory.create(store_path, model="hashing:32")


def test_e4_one_refused_text_and_a_long_one_do_not_hold_up_the_others(
    memory: Memory, store_path: Path
) -> None:
    """And E5: a provider that is down costs no memory."""
    embedder = Counting()
    mine = Memory(store_path, embedder=embedder, clock=Clock())
    long = "The archive lists: " + "box, shelf, crate. " * 500
    stored = mine.remember(long)
    assert stored.is_embedded
    assert "chunked" in (stored.note or "")

    embedder.is_down = True
    for text in ("The unspeakable word", "The attic is dry", "Der Dachboden ist trocken"):
        waiting = mine.remember(text)
        assert not waiting.is_embedded
        assert "next maintenance" in (waiting.note or "")
    answer = mine.recall("attic")
    assert [found.content for found in answer.memories] == ["The attic is dry"]
    assert answer.memories[0].similarity is None
    assert "by words alone" in (answer.note or "")
    down = mine.maintain()
    assert (down.embedded, down.waiting) == (0, 3)
    assert "timed out" in (down.note or "")
    assert mine.status().health.pending_embeddings == 3

    embedder.is_down = False
    done = mine.maintain()
    assert (done.embedded, done.waiting) == (2, 1)
    assert mine.recall("The attic is dry").memories[0].similarity == pytest.approx(1.0)
    assert [found.content for found in mine.recall("unspeakable word").memories] == [
        "The unspeakable word"
    ]
    mine.flush()


def test_nothing_is_embedded_twice(store_path: Path, tmp_path: Path) -> None:
    embedder = Counting()
    mine = Memory(store_path, embedder=embedder, clock=Clock())
    mine.remember("The attic is dry", with_vector=False)
    mine.remember("The attic is dry", with_vector=False, namespace="other")
    (tmp_path / "log.jsonl").write_text(
        '{"session_id": "s", "role": "user", "content": "I live in Hangzhou."}\n', "utf-8"
    )
    mine.ingest([tmp_path / "log.jsonl"])
    # The text of two namespaces, what was said, and what the rules made of it.
    assert mine.maintain().embedded == 3
    assert mine.maintain().embedded == 0
    assert sorted(embedder.asked) == sorted(set(embedder.asked))
    assert counts(mine) == {"hashing/64": len(embedder.asked)} == {"hashing/64": 3}


@pytest.fixture(scope="module")
def screws(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 130 texts with their vectors: three batches."""
    folder = tmp_path_factory.mktemp("screws") / "store"
    shutil.copytree(built_store, folder)
    memory = Memory(folder, clock=Clock())
    writes = [write(number, text) for number, text in enumerate(TEXTS)]
    memory.store.append([*writes, *memory.vectors_for(writes)])
    memory.maintain()
    return folder


def test_e3_reembedding_survives_a_kill_and_serves_the_old_vectors_meanwhile(
    screws: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    shutil.copytree(screws, folder)
    now = START + timedelta(days=1)
    killed(folder, "reembed", "hashing:32", now=now.isoformat(), after=64, node="embedding")

    memory = Memory(folder, clock=Clock(now))
    assert counts(memory) == {"hashing/64": 130, "hashing/32": 64}
    # The old set serves, as if nothing had happened.
    found = memory.recall(TEXTS[77], is_logged=False).memories[0]
    assert (found.content, found.similarity) == (TEXTS[77], pytest.approx(1.0))

    # Killed again, where the model has changed and the tables have not.
    killed(folder, "reembed", "hashing:32", now=now.isoformat(), after=1, node="int_memory_vectors")
    memory = Memory(folder, clock=Clock(now))
    assert counts(memory) == {"hashing/64": 130, "hashing/32": 130}
    seen: list[tuple[int, int, str]] = []
    done = memory.reembed("hashing:32", progress=lambda *given: seen.append(given))
    assert (done.model_id, done.embedded, done.refused) == ("hashing/32", 0, 0)
    assert counts(memory) == {"hashing/64": 130, "hashing/32": 130}
    assert seen

    found = memory.recall(TEXTS[77], is_logged=False).memories[0]
    assert (found.content, found.similarity) == (TEXTS[77], pytest.approx(1.0))
    memory.remember("Box 200 holds nothing")
    ran = dbt_command(folder, "run")
    assert ran.returncode == 0, ran.stdout[-2_000:]
    with memory.store.read() as connection:
        (types,) = fetch(
            connection,
            "select distinct len(embeddings.vector) from internal.recall_index"
            " inner join journal.embeddings on recall_index.vector_key = embeddings.event_sequence",
        )
    assert types[0] == 32
    best = memory.recall("Box 200 holds nothing", is_logged=False).memories[0]
    assert best.similarity == pytest.approx(1.0)


def test_e3_an_empty_store_changes_its_dimension(store_path: Path) -> None:
    memory = Memory(store_path, clock=Clock())
    memory.reembed("hashing:32")
    memory.remember("The attic is dry")
    memory.maintain()
    assert memory.recall("attic dry", is_logged=False).memories[0].similarity is not None


def test_a_failing_provider_leaves_the_change_of_model_for_later(
    screws: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    shutil.copytree(screws, folder)
    memory = Memory(folder, clock=Clock(START + timedelta(days=1)))
    down = Counting(32)
    down.is_down = True
    with pytest.raises(ProviderError):
        memory.reembed(embedder=down)
    assert counts(memory) == {"hashing/64": 130}
    assert memory.recall(TEXTS[5], is_logged=False).memories[0].content == TEXTS[5]


def test_the_hashing_model_is_refused_outside_of_tests(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "EBBING_TESTING", "0")
    with pytest.raises(Exception, match="for tests only"):
        Memory(store_path, clock=Clock()).remember("The attic is dry")


def test_a_vector_of_the_wrong_size_from_the_right_model_is_an_error_that_says_so(
    memory: Memory,
) -> None:
    """A provider may change what it gives under the same name."""
    event = replace(write(0, "The attic is dry"))
    memory.store.append([event])
    short = get_embedder("hashing:32").embed_passages([event.content])[0].vector
    assert short is not None
    memory.store.append(
        [journal.Embedding(content_hash=event.content_hash, model_id="hashing/64", vector=short)]
    )
    with pytest.raises(EmbeddingError, match="ebbing reembed"):
        memory.recall("attic")
