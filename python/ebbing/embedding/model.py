"""The store's embedding model: which one it records, and texts embedded with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing import journal
from ebbing.embedding import Embedder, get_embedder, require_same_model
from ebbing.errors import StoreError

_ACTIVE = """
    select model_id, model_name, dimension
    from journal.embedding_models
    order by event_sequence desc
    limit 1
"""


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """What the store says of the model that made its vectors."""

    model_id: str
    model_name: str
    dimension: int


def recorded_model_or_none(connection: duckdb.DuckDBPyConnection) -> RecordedModel | None:
    """Return the model in use, or None before one is recorded."""
    row = connection.execute(_ACTIVE).fetchone()
    return None if row is None else RecordedModel(*row)


def recorded_model(connection: duckdb.DuckDBPyConnection) -> RecordedModel:
    """Return the model in use, or say how to give the store one."""
    recorded = recorded_model_or_none(connection)
    if recorded is None:
        raise StoreError(
            "the store records no embedding model; nothing was changed; run `ebbing init`"
        )
    return recorded


def embedder_for(recorded: RecordedModel, given: Embedder | None) -> Embedder:
    """Return the given embedder if it is the store's model, else the one of that name."""
    embedder = given or get_embedder(recorded.model_name)
    require_same_model(recorded.model_id, recorded.dimension, embedder)
    return embedder


def model_event(embedder: Embedder, *, at: datetime) -> journal.EmbeddingModel:
    """Return the event by which a store changes to this model."""
    return journal.EmbeddingModel(
        model_id=embedder.model_id,
        model_name=embedder.name,
        dimension=embedder.dimension,
        query_mode=embedder.query_mode,
        recorded_at=at,
    )


@dataclass(frozen=True, slots=True)
class Vectors:
    """Embedding events, and a note for each text that was refused or cut, by content hash."""

    events: tuple[journal.Embedding, ...]
    notes: dict[str, str]


def embed(embedder: Embedder, texts: Sequence[tuple[str, str]]) -> Vectors:
    """Embed pairs of content hash and content as passages."""
    outcomes = embedder.embed_passages([content for _, content in texts])
    events: list[journal.Embedding] = []
    notes: dict[str, str] = {}
    for (content_hash, _), outcome in zip(texts, outcomes, strict=True):
        if outcome.note:
            notes[content_hash] = outcome.note
        if outcome.vector is not None:
            events.append(
                journal.Embedding(
                    content_hash=content_hash,
                    model_id=embedder.model_id,
                    vector=outcome.vector,
                    note=outcome.note,
                )
            )
    return Vectors(events=tuple(events), notes=notes)
