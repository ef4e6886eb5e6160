"""What models that run in this process share: lazy loading, a lock, windows for long texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from threading import Lock
from typing import Generic, TypeVar

from ebbing.embedding.protocol import Embedded, QueryMode, Vector
from ebbing.embedding.windows import checked, embed_in_windows
from ebbing.errors import EmbeddingError, InputError

Model = TypeVar("Model")

# Few enough that a query of another thread does not wait for long behind passages.
_WINDOWS_AT_ONCE = 16


class LocalEmbedder(ABC, Generic[Model]):
    """An embedder over an engine that is loaded at its first use and entered by one thread."""

    query_mode: QueryMode = "same"

    def __init__(self) -> None:
        """Load nothing yet."""
        self._lock = Lock()
        self._model: Model | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """What to give `get_embedder` to get this embedder again."""

    @property
    @abstractmethod
    def model_id(self) -> str:
        """A stable name that covers all that changes the vectors."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many numbers a vector has."""

    @abstractmethod
    def _load(self) -> Model:
        """Load the engine; raise a `ProviderError` where it is not installed."""

    @abstractmethod
    def _token_limit(self, model: Model) -> int:
        """Return how many tokens the engine reads of one text."""

    @abstractmethod
    def _count_tokens(self, model: Model, text: str, is_query: bool) -> int:
        """Count the tokens of a text, special ones and prefixes included."""

    @abstractmethod
    def _encode(self, model: Model, texts: list[str], is_query: bool) -> Iterable[Sequence[float]]:
        """Return one vector of any length above zero for each text."""

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed what is stored: one outcome for each text, in order."""
        return self._embed(texts, is_query=False)

    def embed_query(self, text: str) -> Vector:
        """Embed what is asked; an empty query is an `InputError`."""
        require_words(text)
        return require_vector(self._embed([text], is_query=True)[0])

    def _loaded(self) -> Model:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Embedded]:
        model = self._loaded()
        return embed_in_windows(
            texts,
            count_tokens=partial(self._count_locked, model, is_query),
            token_limit=self._token_limit(model),
            encode=partial(self._encode_locked, model, is_query),
        )

    def _count_locked(self, model: Model, is_query: bool, text: str) -> int:
        with self._lock:
            return self._count_tokens(model, text, is_query)

    def _encode_locked(self, model: Model, is_query: bool, texts: list[str]) -> Iterable[Embedded]:
        for start in range(0, len(texts), _WINDOWS_AT_ONCE):
            with self._lock:
                vectors = list(
                    self._encode(model, texts[start : start + _WINDOWS_AT_ONCE], is_query)
                )
            yield from map(checked, vectors)


def require_words(query: str) -> None:
    """Refuse a query with nothing in it."""
    if not query.strip():
        raise InputError("the query is empty; nothing was searched; give some words to look for")


def require_vector(outcome: Embedded) -> Vector:
    """Return a query's vector, or raise the note that stands in its place."""
    if outcome.vector is None:
        reason = (outcome.note or "refused").removeprefix("refused: ")
        raise EmbeddingError(
            f"the query has no vector ({reason}); nothing was written; word it otherwise"
        )
    return outcome.vector
