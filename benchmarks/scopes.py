"""Texts as memories, each set in a namespace of one store, and questions asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.embedding import Embedder
from ebbing.embedding.model import embed, model_event
from ebbing.journal import ids
from ebbing.journal.writing import write_event
from ebbing.maintenance.dbt import Dbt
from ebbing.recall.answering import Query, RecalledMemory, answer_many
from ebbing.safety.text import clean
from ebbing.store.store import Store

BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC).replace(tzinfo=None)
ASKED = BEGAN + timedelta(days=30)
_BATCH = 64


def build(folder: Path, embedder: Embedder, scopes: Mapping[str, Sequence[str]]) -> Store:
    """Make a store of the texts, an hour apart within their namespace, and have dbt build it."""
    store = Store(folder)
    store.create()
    events: list[journal.Event] = [model_event(embedder, at=BEGAN)]
    texts: dict[str, str] = {}
    for namespace, contents in scopes.items():
        for place, content in enumerate(dict.fromkeys(map(clean, contents))):
            at = BEGAN + timedelta(hours=place % 600)
            write, _ = write_event(
                content,
                namespace=namespace,
                kind="fact",
                actor="benchmark",
                method="imported",
                at=at,
                recorded_at=at,
            )
            events.append(write)
            texts[ids.content_hash(content)] = content
    store.append(events)
    pairs = list(texts.items())
    for start in range(0, len(pairs), _BATCH):
        store.append(embed(embedder, pairs[start : start + _BATCH]).events)
    Dbt(store.folder).build()
    return store


class Asking:
    """Questions of an open store, by vector and words, under the default settings."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, embedder: Embedder) -> None:
        self._connection = connection
        self._embedder = embedder

    def __call__(
        self, question: str, *namespaces: str, top_k: int = 5
    ) -> tuple[RecalledMemory, ...]:
        text = clean(question)
        if not text:
            return ()
        query = Query(
            text=text,
            vector=self._embedder.embed_query(text),
            namespaces=namespaces,
            at=ASKED,
            top_k=top_k,
        )
        return answer_many(self._connection, [query])[0]


@contextmanager
def asking(store: Store, embedder: Embedder) -> Iterator[Asking]:
    """Open a store for questions."""
    with store.read() as connection:
        yield Asking(connection, embedder)
