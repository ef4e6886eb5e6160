"""Embedding models behind HTTP, against a server that misbehaves in every way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ebbing.embedding import get_embedder
from ebbing.embedding.api import ApiEmbedder, estimated_tokens, with_version
from ebbing.errors import EbbingError, EmbeddingError, InputError, ModelMismatch, ProviderError
from servers.embedding_server import KEY, POISON, EmbeddingServer, embedding_server


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """Serve embeddings on loopback."""
    with embedding_server() as running:
        yield running


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note how long each wait between tries would have been, and do not wait."""
    taken: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", taken.append)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "EBBING_EMBEDDING_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return taken


def api(server: EmbeddingServer, model: str = "test-model", **options: Any) -> ApiEmbedder:
    embedder = get_embedder(
        f"api:{model}", base_url=server.base_url, key=KEY, **{"timeout": 5.0, **options}
    )
    assert isinstance(embedder, ApiEmbedder)
    return embedder


def assert_one_clear_line(error: EbbingError) -> None:
    message = str(error)
    assert "\n" not in message
    assert "nothing was written" in message
    assert KEY not in message
    assert KEY not in repr(error)


def test_the_dimension_is_asked_for_once_and_only_where_unknown(server: EmbeddingServer) -> None:
    embedder = api(server)
    assert embedder.dimension == 8
    assert embedder.dimension == 8
    assert len(server.requests) == 1
    assert api(server, "text-embedding-3-small").dimension == 1536
    assert api(server, "any@512").dimension == 512
    assert len(server.requests) == 1


def test_a_dimension_in_the_name_is_sent(server: EmbeddingServer) -> None:
    api(server, "any@8").embed_query("hello")
    assert server.requests == [{"model": "any", "input": ["hello"], "dimensions": 8}]


def test_a_model_with_prefixes_gets_them(server: EmbeddingServer) -> None:
    embedder = api(server, "nomic-embed-text:latest")
    embedder.embed_query("tea")
    embedder.embed_passages(["tea"])
    assert [request["input"] for request in server.requests] == [
        ["search_query: tea"],
        ["search_document: tea"],
    ]


def test_batches_keep_to_the_limits_of_count_and_characters(server: EmbeddingServer) -> None:
    embedder = api(server, most_texts=3, most_characters=50)
    texts = [f"memory {i}" for i in range(7)] + ["long " * 8, "long " * 9, "short"]
    assert [o.is_refused for o in embedder.embed_passages(texts)] == [False] * 10
    batches = [request["input"] for request in server.requests]
    assert [text for batch in batches for text in batch] == texts
    assert max(map(len, batches)) == 3
    assert all(len(batch) == 1 or sum(map(len, batch)) <= 50 for batch in batches)


def test_rows_are_matched_by_index_not_by_order(server: EmbeddingServer) -> None:
    in_order = api(server).embed_passages(["a", "b", "c"])
    server.mode = "shuffled"
    assert api(server).embed_passages(["a", "b", "c"]) == in_order


@pytest.mark.parametrize("mode", ["drops one item", "drops one item, no index"])
def test_what_a_batch_left_out_is_asked_for_alone(server: EmbeddingServer, mode: str) -> None:
    expected = api(server).embed_passages(["a", "b", "c"])
    server.mode = mode
    assert api(server).embed_passages(["a", "b", "c"]) == expected


@pytest.mark.parametrize("mode", ["NaN", "zero"])
def test_a_vector_that_is_none_is_refused_alone(server: EmbeddingServer, mode: str) -> None:
    server.mode = mode
    first, second = api(server).embed_passages(["a", "b"])
    assert first.vector is None
    assert first.note == "refused: the model gave a zero or non-finite vector"
    assert second.vector is not None
    with pytest.raises(EmbeddingError, match="has no vector"):
        api(server).embed_query("a")


def test_a_null_vector_is_refused_alone(server: EmbeddingServer) -> None:
    embedder = api(server)
    assert embedder.dimension == 8
    server.mode = "null"
    assert embedder.embed_passages(["a"])[0].note == "refused: the provider gave no vector"


def test_one_refused_text_does_not_take_the_others_with_it(server: EmbeddingServer) -> None:
    texts = [f"memory {i}" for i in range(9)]
    texts[5] = f"bad {POISON}"
    outcomes = api(server).embed_passages(texts)
    assert [i for i, outcome in enumerate(outcomes) if outcome.is_refused] == [5]
    assert outcomes[5].note == "refused: HTTP 400: this input is not allowed"


def test_where_every_text_is_refused_none_is_to_blame(server: EmbeddingServer) -> None:
    server.mode = "refuses all"
    with pytest.raises(ProviderError, match="no such model") as caught:
        api(server).embed_passages([f"memory {i}" for i in range(9)])
    assert_one_clear_line(caught.value)
    assert len(server.requests) == 2


def test_another_dimension_than_expected_is_a_mismatch(server: EmbeddingServer) -> None:
    embedder = api(server, "any@768")
    with pytest.raises(
        ModelMismatch, match=r"8 numbers where 768.*ebbing reembed --model"
    ) as caught:
        embedder.embed_passages(["a"])
    assert_one_clear_line(caught.value)


def test_a_provider_that_changes_its_dimension_is_caught(server: EmbeddingServer) -> None:
    embedder = api(server)
    embedder.embed_query("a")
    server.dimension = 4
    with pytest.raises(ModelMismatch):
        embedder.embed_query("b")


def test_too_many_requests_are_sent_again(server: EmbeddingServer, naps: list[float]) -> None:
    server.failures_left, server.retry_after = 2, "7"
    assert api(server).embed_passages(["a"])[0].vector is not None
    assert len(server.requests) == 3
    assert naps == [7, 7]


def test_an_endless_retry_after_is_bounded(server: EmbeddingServer, naps: list[float]) -> None:
    server.failures_left, server.retry_after = 1, "86400"
    api(server).embed_query("a")
    assert naps == [60]


def test_waits_grow_where_the_server_names_none(server: EmbeddingServer, naps: list[float]) -> None:
    server.mode = "always 500"
    with pytest.raises(ProviderError):
        api(server, retries=4, backoff=0.5).embed_query("a")
    assert naps == sorted(naps)
    assert naps[-1] >= 4


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("always 500", "failed (HTTP 500: out of order)"),
        ("broken JSON", "broken JSON"),
        ("not embeddings", "something else than embeddings"),
        ("wrong key", "did not accept the key (HTTP 401: bad key: Bearer [key])"),
    ],
)
def test_each_failure_is_one_clear_line(server: EmbeddingServer, mode: str, says: str) -> None:
    server.mode = mode
    for ask in (
        lambda: api(server, backoff=0.0).embed_query("a"),
        lambda: api(server, backoff=0.0).embed_passages(["a", "b"]),
        lambda: api(server, backoff=0.0).dimension,
    ):
        with pytest.raises(ProviderError) as caught:
            ask()
        assert says in str(caught.value)
        assert_one_clear_line(caught.value)


def test_a_slow_provider_times_out(server: EmbeddingServer) -> None:
    server.mode = "slow"
    with pytest.raises(ProviderError, match=r"did not answer within 0\.05 s") as caught:
        api(server, timeout=0.05, backoff=0.0).embed_query("a")
    assert_one_clear_line(caught.value)
    assert len(server.requests) == 2


def test_a_provider_that_is_down_is_named() -> None:
    with embedding_server() as server:
        pass
    with pytest.raises(ProviderError, match=r"http://127\.0\.0\.1:\d+ cannot be reached") as caught:
        api(server, backoff=0.0).embed_query("a")
    assert_one_clear_line(caught.value)


def test_a_wrong_path_is_named(server: EmbeddingServer) -> None:
    server.base_url = server.base_url.replace("/v1", "/v2")
    with pytest.raises(ProviderError, match="does not know the model or the path"):
        api(server).embed_query("a")


def test_the_key_is_sent_and_never_shown(server: EmbeddingServer) -> None:
    embedder = api(server)
    embedder.embed_query("a")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(embedder)


def test_a_key_in_netrc_is_not_sent(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    api(server).embed_query("a")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    get_embedder("api:m", base_url=server.base_url).embed_query("a")
    assert "Authorization" not in server.headers[1]


def test_keys_come_from_the_environment(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("GEMINI_API_KEY", "sk-gemini")
    monkeypatch.setenv("EBBING_EMBEDDING_BASE_URL", server.base_url)
    get_embedder("openai:m@8", base_url=server.base_url).embed_query("a")
    get_embedder("gemini:m@8", base_url=server.base_url).embed_query("a")
    get_embedder("api:m").embed_query("a")
    monkeypatch.setenv("EBBING_EMBEDDING_API_KEY", "sk-own")
    get_embedder("openai:m@8", base_url=server.base_url).embed_query("a")
    get_embedder("api:m").embed_query("a")
    sent = [headers.get("Authorization") for headers in server.headers]
    assert sent == ["Bearer sk-openai", "Bearer sk-gemini", None, "Bearer sk-own", "Bearer sk-own"]


@pytest.mark.parametrize(
    ("name", "variable"), [("openai:m", "OPENAI_API_KEY"), ("gemini:m", "GEMINI_API_KEY")]
)
def test_a_missing_key_is_named_at_the_first_use(name: str, variable: str) -> None:
    embedder = get_embedder(name)
    with pytest.raises(ProviderError, match=variable):
        embedder.embed_query("a")


def test_an_api_without_an_address_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EBBING_EMBEDDING_BASE_URL", raising=False)
    with pytest.raises(InputError, match="EBBING_EMBEDDING_BASE_URL"):
        get_embedder("api:m")


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("http://host/v1", "http://host/v1"),
        ("http://host/v1/embeddings", "http://host/v1"),
        ("https://host/proxy/openai/", "https://host/proxy/openai"),
    ],
)
def test_addresses_are_completed(given: str, used: str) -> None:
    assert with_version(given) == used


@pytest.mark.parametrize("address", ["localhost:11434", "ftp://host/v1", "http://", "nonsense"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="address is not one"):
        get_embedder("api:m", base_url=address)


def test_a_password_in_the_address_is_not_shown(server: EmbeddingServer) -> None:
    server.mode = "always 500"
    server.base_url = server.base_url.replace("http://", "http://user:hunter2@")
    with pytest.raises(ProviderError) as caught:
        api(server, retries=0).embed_query("a")
    assert "hunter2" not in str(caught.value)


def test_tokens_are_estimated_on_the_high_side() -> None:
    assert estimated_tokens("four words of English") >= 5
    assert estimated_tokens("今天玩成语接龙游戏") >= 9
