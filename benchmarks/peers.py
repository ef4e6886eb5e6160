"""Plain programs that do a part of what a recall does: the ten nearest of many vectors.

Each is made of the matrix that the store in a folder holds, and answers a question; those that are
not installed (group `bench`) are left out. Exact search wherever a program has it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.generated import Matrix
from ebbing.store.location import FILE_NAME

Ask = Callable[[Matrix], object]
_NEAREST = 10


def numpy_product(vectors: Matrix, folder: Path) -> Ask:
    """A product of matrices, in memory."""

    def ask(question: Matrix) -> object:
        closeness = vectors @ question
        return np.argpartition(-closeness, _NEAREST)[:_NEAREST]

    return ask


def plain_duckdb(vectors: Matrix, folder: Path) -> Ask:
    """A cosine in a plain table, on one thread as all others that let it be chosen."""
    connection = duckdb.connect(str(folder / "plain.duckdb"))
    connection.execute("set threads = 1")
    connection.execute(f"attach '{folder / 'store' / FILE_NAME}' as store (read_only)")
    connection.execute(
        f"create table vectors as select event_sequence, vector::float[{vectors.shape[1]}] as "
        "vector from store.journal.embeddings order by event_sequence"
    )
    connection.execute("detach store")
    connection.execute("checkpoint")

    def ask(question: Matrix) -> object:
        return connection.execute(
            "select event_sequence from vectors order by array_cosine_similarity("
            f"vector, $question::varchar::float[{vectors.shape[1]}]) desc limit {_NEAREST}",
            {"question": json.dumps(question.tolist())},
        ).fetchall()

    return ask


def sqlite_vec(vectors: Matrix, folder: Path) -> Ask:
    """The extension of SQLite, brute force."""
    import sqlite_vec as extension

    connection = sqlite3.connect(folder / "vectors.sqlite")
    connection.enable_load_extension(True)
    extension.load(connection)
    connection.execute(
        f"create virtual table vectors using vec0(vector float[{vectors.shape[1]}] "
        "distance_metric=cosine)"
    )
    with connection:
        connection.executemany(
            "insert into vectors (rowid, vector) values (?, ?)",
            ((number, row.tobytes()) for number, row in enumerate(vectors)),
        )

    def ask(question: Matrix) -> object:
        return connection.execute(
            f"select rowid from vectors where vector match ? and k = {_NEAREST}",
            [question.tobytes()],
        ).fetchall()

    return ask


def lancedb(vectors: Matrix, folder: Path) -> Ask:
    """Lance, without an index, which is exact."""
    import lancedb as library
    import pyarrow as pa

    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    table = library.connect(str(folder / "lance")).create_table(
        "vectors", pa.table({"vector": rows})
    )

    def ask(question: Matrix) -> object:
        return table.search(question).distance_type("cosine").limit(_NEAREST).to_arrow()

    return ask


def chroma(vectors: Matrix, folder: Path) -> Ask:
    """Chroma, with its graph, which is approximate."""
    import chromadb

    client = chromadb.PersistentClient(
        str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False)
    )
    table = client.create_collection("vectors", metadata={"hnsw:space": "cosine"})
    for start in range(0, len(vectors), 5_000):
        piece = vectors[start : start + 5_000]
        table.add(
            ids=[str(start + number) for number in range(len(piece))], embeddings=piece.tolist()
        )

    def ask(question: Matrix) -> object:
        return table.query(query_embeddings=[question.tolist()], n_results=_NEAREST, include=[])

    return ask


def installed() -> dict[str, Callable[[Matrix, Path], Ask]]:
    """Return the programs that can be asked here, by name."""
    peers: dict[str, tuple[str, Callable[[Matrix, Path], Ask]]] = {
        "numpy": ("numpy", numpy_product),
        "DuckDB cosine": ("duckdb", plain_duckdb),
        "sqlite-vec": ("sqlite_vec", sqlite_vec),
        "LanceDB": ("lancedb", lancedb),
        "Chroma (HNSW)": ("chromadb", chroma),
    }
    there = {name: make for name, (module, make) in peers.items() if find_spec(module)}
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        # Python was built without it.
        there.pop("sqlite-vec", None)
    return there
