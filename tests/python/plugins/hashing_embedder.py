"""Hashed character n-grams: the same vectors on every machine and no model; for tests only.

Found as a package's embedder is, by the entry point beside this module.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ebbing.embedding.local import LocalEmbedder
from ebbing.errors import InputError


def hashing(argument: str, **options: Any) -> HashingEmbedder:
    """Return the embedder of so many numbers; vectors without meaning belong in no real store."""
    if os.environ.get("EBBING_TESTING") != "1":
        raise InputError("the hashing model is for tests only; nothing was written; choose another")
    if not argument.isascii() or not argument.isdigit() or int(argument) < 1:
        raise InputError(
            f"hashing:{argument} is not a model; nothing was written; "
            "give a dimension, as in hashing:64"
        )
    return HashingEmbedder(int(argument), **options)


class HashingEmbedder(LocalEmbedder[None]):
    """Texts that share character trigrams are close; meaning plays no part."""

    def __init__(self, dimension: int) -> None:
        """Choose how many numbers a vector has."""
        super().__init__()
        self._dimension = dimension

    @property
    def name(self) -> str:
        """What to give `get_embedder` to get this embedder again."""
        return f"hashing:{self._dimension}"

    @property
    def model_id(self) -> str:
        """The name, as nothing else changes the vectors."""
        return f"hashing/{self._dimension}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    def _load(self) -> None:
        return None

    def _token_limit(self, model: None) -> int:
        return 2048

    def _count_tokens(self, model: None, text: str, is_query: bool) -> int:
        return len(text)

    def _encode(self, model: None, texts: list[str], is_query: bool) -> list[Sequence[float]]:
        return [self._hashed(text) for text in texts]

    def _hashed(self, text: str) -> list[float]:
        vector = [0.0] * self._dimension
        padded = f" {' '.join(text.casefold().split())} "
        for size in (1, 2, 3):
            for start in range(len(padded) - size + 1):
                gram = padded[start : start + size].encode()
                digest = int.from_bytes(blake2b(gram, digest_size=8).digest(), "big")
                sign = 1.0 if digest & 1 else -1.0
                vector[(digest >> 1) % self._dimension] += sign * size
        return vector
