"""What is known of models by name: the prefixes they were trained with, sizes and limits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ebbing.embedding.protocol import QueryMode


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model expects before a query and before a passage."""

    query: str = ""
    passage: str = ""

    @property
    def query_mode(self) -> QueryMode:
        """`prefixed` where the two differ."""
        return "same" if self.query == self.passage else "prefixed"

    def add(self, text: str, *, is_query: bool) -> str:
        """Put the right prefix before a text."""
        return (self.query if is_query else self.passage) + text


_REPRESENT = "Represent this sentence for searching relevant passages: "

# From the models' cards. Neither fastembed nor an embeddings server adds these.
_PREFIXES = (
    (r"(^|[/_-])e5-(?!.*instruct)", Prefixes("query: ", "passage: ")),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"embedding-?gemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"mxbai-embed-large", Prefixes(_REPRESENT)),
    (r"snowflake-arctic-embed(?!.*2)", Prefixes(_REPRESENT)),
)

_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
}


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes of a model, none for one that is not known to need any."""
    for pattern, prefixes in _PREFIXES:
        if re.search(pattern, model.lower()):
            return prefixes
    return Prefixes()


def dimension_of(model: str) -> int | None:
    """Return a hosted model's own dimension, None where it has to be asked."""
    return _DIMENSIONS.get(model.lower())
