"""What every embedding provider promises, whatever it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

Vector = tuple[float, ...]

QueryMode = Literal["prefixed", "same"]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The outcome for one text: a vector of length 1, or a note that says why there is none.

    A vector may carry a note as well, such as `chunked: mean of 3`. Without a vector the note
    begins with `refused:` and embedding the same text again would end the same way.
    """

    vector: Vector | None
    note: str | None = None

    @property
    def is_refused(self) -> bool:
        """Whether this text has no vector under this model."""
        return self.vector is None


@runtime_checkable
class Embedder(Protocol):
    """A model that turns text into vectors of length 1.

    Safe to share between threads. Any text is taken: lone surrogates are replaced, long texts are
    chunked. What no text is to blame for (no network, no model) raises a `ProviderError`, and then
    no text of that call has been embedded.
    """

    @property
    def name(self) -> str:
        """What to give `get_embedder` to get this embedder again."""
        ...

    @property
    def model_id(self) -> str:
        """A stable name that covers all that changes the vectors; stores record it."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def query_mode(self) -> QueryMode:
        """`prefixed` where a query and a passage of one text differ, else `same`."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed what is stored: one outcome for each text, in order."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Embed what is asked; an empty query is an `InputError`."""
        ...
