"""The proof of an erasure: every relation and every file is searched for what was erased."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ebbing.erasure import passages

_TEXT_COLUMNS = """
    select table_schema, table_name, column_name
    from information_schema.columns
    where table_catalog = current_database()
        and table_schema not in ('information_schema', 'pg_catalog')
        and (contains(data_type, 'VARCHAR') or data_type = 'JSON')
    order by table_schema, table_name, ordinal_position
"""

# Where a text stands as somebody wrote it; the words of an index are nobody's.
_TEXTS = ("content", "description", "query_text", "reason", "detail", "metadata")

_DUCKDB_MARK = (8, b"DUCK")


@dataclass(frozen=True, slots=True)
class Searched:
    """A relation, or a file, that was searched for what was erased, and how often it was there."""

    place: str
    found: int


@dataclass(frozen=True, slots=True)
class Needles:
    """What must be nowhere any more.

    `everywhere` are ids and passages that no other memory and no other namespace has: they are in
    no byte of any file. `in_namespace` are texts that are elsewhere by right, and words that other
    sentences need: no value of that namespace's rows is one of them, but those in `rightful`.
    """

    namespace: str
    everywhere: tuple[str, ...]
    in_namespace: tuple[str, ...]


def needles(
    connection: duckdb.DuckDBPyConnection,
    *,
    namespace: str,
    memory_ids: Sequence[str],
    texts: Sequence[str],
) -> Needles:
    """Sort out what can be searched for everywhere, on a journal that is rid of it."""
    long = [text for text in texts if passages.is_passage(text)]
    elsewhere = {text for text in long if _is_elsewhere(connection, text, namespace)}
    return Needles(
        namespace=namespace,
        everywhere=(*memory_ids, *(text for text in long if text not in elsewhere)),
        in_namespace=tuple(text for text in texts if text in elsewhere or text not in long),
    )


def search_relations(connection: duckdb.DuckDBPyConnection, wanted: Needles) -> Iterator[Searched]:
    """Count the rows of every relation that hold one of the needles."""
    for relation, columns in _text_columns(connection).items():
        found = _count_in_rows(connection, relation, columns, wanted.everywhere)
        if "namespace" in columns and wanted.in_namespace:
            found += _count_values(connection, relation, columns, wanted)
        yield Searched(relation.replace('"', ""), found)


def search_files(roots: Sequence[Path], texts: Sequence[str]) -> list[Searched]:
    """Count occurrences in files, and in the rows of databases and Parquet files."""
    files = [
        file
        for root in roots
        for file in ([root] if root.is_file() else sorted(root.rglob("*")))
        if file.is_file()
    ]
    return [Searched(str(file), _count_in(file, texts)) for file in files]


def count_in_file(file: Path, texts: Sequence[str]) -> int:
    """Count occurrences as bytes: UTF-8 and UTF-16, plain and as JSON writes them."""
    forms = {
        form.encode(encoding)
        for text in texts
        for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        for encoding in ("utf-8", "utf-16-le", "utf-16-be")
    }
    if not forms:
        return 0
    longest = max(map(len, forms))
    count, tail = 0, b""
    with file.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            block = tail + chunk
            count += sum(block.count(form) for form in forms)
            # What lies wholly in the tail was counted; it is left one byte too short for that.
            tail = block[-(longest - 1) :] if longest > 1 else b""
            count -= sum(tail.count(form) for form in forms)
    return count + sum(tail.count(form) for form in forms)


def _count_in(file: Path, texts: Sequence[str]) -> int:
    count = count_in_file(file, texts)
    # Their texts are compressed.
    if file.suffix == ".parquet":
        return count or _count_in_database(f"select * from read_parquet({_quoted(file)})", texts)
    if _is_database(file):
        return count or _count_in_database(f"attach {_quoted(file)} as copy (read_only)", texts)
    return count


def _count_in_database(statement: str, texts: Sequence[str]) -> int:
    """Count rows of a Parquet file, or of all tables of a database that is not the store's."""
    try:
        with contextlib.closing(duckdb.connect()) as connection:
            if statement.startswith("attach"):
                connection.execute(statement)
                connection.execute("use copy")
            else:
                connection.execute(f"create view parquet as {statement}")
            return sum(
                _count_in_rows(connection, relation, columns, texts)
                for relation, columns in _text_columns(
                    connection, views="attach" not in statement
                ).items()
            )
    except duckdb.Error:
        # Held by somebody, or damaged: its bytes were searched all the same.
        return 0


def _is_database(file: Path) -> bool:
    start, mark = _DUCKDB_MARK
    with file.open("rb") as stream:
        return stream.read(start + len(mark))[start:] == mark


def _text_columns(
    connection: duckdb.DuckDBPyConnection, *, views: bool = True
) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    tables = {
        (schema, name)
        for schema, name in connection.execute(
            "select schema_name, table_name from duckdb_tables()"
            " where database_name = current_database()"
        ).fetchall()
    }
    for schema, name, column in connection.execute(_TEXT_COLUMNS).fetchall():
        if views or (schema, name) in tables:
            columns.setdefault(f"{_identifier(schema)}.{_identifier(name)}", []).append(column)
    return columns


def _count_in_rows(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    columns: Sequence[str],
    texts: Sequence[str],
) -> int:
    if not texts:
        return 0
    anywhere = " or ".join(
        f"list_bool_or([contains(cast({_identifier(column)} as varchar), needle) "
        "for needle in $needles])"
        for column in columns
    )
    row = connection.execute(
        f"select count(*) from {relation} where {anywhere}", {"needles": list(texts)}
    ).fetchone()
    return row[0] if row else 0


def _count_values(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    columns: Sequence[str],
    wanted: Needles,
) -> int:
    """Count the namespace's rows of which a whole value is one of the needles."""
    anywhere = " or ".join(
        f"list_contains($needles::varchar[], cast({_identifier(column)} as varchar))"
        for column in columns
        if column in _TEXTS
    )
    if not anywhere:
        return 0
    row = connection.execute(
        f"select count(*) from {relation} where namespace = $namespace and ({anywhere})",
        {"needles": list(wanted.in_namespace), "namespace": wanted.namespace},
    ).fetchone()
    return row[0] if row else 0


def _is_elsewhere(connection: duckdb.DuckDBPyConnection, text: str, namespace: str) -> bool:
    """Tell whether the journal still holds a text by right, or another namespace's memory does."""
    for relation, columns in _text_columns(connection).items():
        if relation.startswith('"journal".'):
            if _count_in_rows(connection, relation, columns, [text]):
                return True
        elif {"namespace", "content"} <= {*columns}:
            found = connection.execute(
                f"select 1 from {relation}"
                " where namespace <> $namespace and contains(content, $text) limit 1",
                {"namespace": namespace, "text": text},
            ).fetchone()
            if found:
                return True
    return False


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(path: Path) -> str:
    # ATTACH and read_parquet take no bound parameter for the path.
    return "'" + str(path).replace("'", "''") + "'"
