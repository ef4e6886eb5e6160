"""Vectors that are kept between measurements: embedding is most of what they cost."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ebbing.embedding import Embedder, Vector, get_embedder
from ebbing.embedding.protocol import Embedded, QueryMode

_TABLE = """
    create table if not exists vectors (
        model_id text, side text, content text, vector blob,
        primary key (model_id, side, content)
    )
"""


class KeptVectors:
    """An embedder that asks its model for what the file does not hold."""

    def __init__(self, model: str, path: Path | None) -> None:
        self._model = get_embedder(model)
        self._path = path or ":memory:"
        self._kept: dict[tuple[str, str], Vector] = {}
        with closing(sqlite3.connect(self._path)) as file:
            file.execute(_TABLE)
            self._kept = {
                (side, content): tuple(array("f", vector))
                for side, content, vector in file.execute(
                    "select side, content, vector from vectors where model_id = ?",
                    (self.model_id,),
                )
            }

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def model_id(self) -> str:
        return self._model.model_id

    @property
    def dimension(self) -> int:
        return self._model.dimension

    @property
    def query_mode(self) -> QueryMode:
        return self._model.query_mode

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        new = [text for text in dict.fromkeys(texts) if ("passage", text) not in self._kept]
        made = dict(zip(new, self._model.embed_passages(new), strict=True)) if new else {}
        self._keep(
            {("passage", text): found.vector for text, found in made.items() if found.vector}
        )
        return [
            made[text] if text in made else Embedded(self._kept["passage", text]) for text in texts
        ]

    def embed_query(self, text: str) -> Vector:
        if ("query", text) not in self._kept:
            self._keep({("query", text): self._model.embed_query(text)})
        return self._kept["query", text]

    def _keep(self, vectors: dict[tuple[str, str], Vector]) -> None:
        self._kept |= vectors
        with closing(sqlite3.connect(self._path)) as file, file:
            file.execute(_TABLE)
            file.executemany(
                "insert or replace into vectors values (?, ?, ?, ?)",
                [
                    (self.model_id, side, text, array("f", vector).tobytes())
                    for (side, text), vector in vectors.items()
                ],
            )


def kept_vectors(model: str, path: Path | None) -> Embedder:
    """Return the model's embedder, with what the file at `path` holds already."""
    return KeptVectors(model, path)
