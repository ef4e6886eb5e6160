"""Erasure: the one hard delete, and the proof that no copy is left.

Rows leave the journal, passages that hold the text are blanked, and the file is written anew from
what remains, since a database file keeps deleted rows in its free blocks. Everything derived is
then built from that journal.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import duckdb

from ebbing import ids, journal
from ebbing.errors import StoreError
from ebbing.lookup import require_memory
from ebbing.maintenance import Dbt, Progress
from ebbing.store import FILE_NAME, STORAGE_VERSION, Store
from ebbing.upkeep import ANEW, bring_up_to_date

BLANK = "[erased]"

_TARGETS = """
    with given as (
        select unnest($memory_ids::varchar[]) as memory_id
    ),
    members as (
        select canonicals.memory_id
        from internal.int_memory_canonicals as canonicals
        where canonicals.canonical_id in (
            select coalesce(own.canonical_id, given.memory_id)
            from given
            left join internal.int_memory_canonicals as own using (memory_id)
        )
        union
        select memory_id from given
    ),
    texts as (
        select memory_id, content, content_hash, message_id from journal.memory_writes
        union
        select memory_id, content, content_hash, message_id from internal.int_statements_extracted
    )
    select members.memory_id, texts.content, texts.content_hash, texts.message_id
    from members
    left join texts using (memory_id)
"""

# What an erased memory had displaced stays displaced.
_ORPHANED = """
    select distinct memory_id
    from memory_history
    where list_contains($memory_ids::varchar[], superseded_by)
        and not list_contains($memory_ids::varchar[], memory_id)
"""

_DELETE = (
    "delete from journal.memory_writes where list_contains($memory_ids::varchar[], memory_id)",
    "delete from journal.memory_changes where list_contains($memory_ids::varchar[], memory_id)"
    " or list_contains($memory_ids::varchar[], other_memory_id)",
    "delete from journal.recall_hits where list_contains($memory_ids::varchar[], memory_id)",
    "delete from journal.ratings where list_contains($memory_ids::varchar[], memory_id)",
)

_DELETE_VECTORS = """
    delete from journal.embeddings
    where list_contains($hashes::varchar[], content_hash)
        and content_hash not in (select content_hash from journal.memory_writes)
"""

_BLANK_SOURCES = """
    update journal.messages set content = $blank
    where list_contains($message_ids::varchar[], message_id)
"""

_BLANK_TEXT = (
    "update journal.messages set content = replace(content, $text, $blank)"
    " where contains(content, $text)",
    "update journal.recalls set query_text = replace(query_text, $text, $blank),"
    " query_vector = null where contains(query_text, $text)",
    "update journal.task_starts set description = replace(description, $text, $blank)"
    " where contains(description, $text)",
    "update journal.memory_changes set reason = replace(reason, $text, $blank)"
    " where contains(reason, $text)",
    "update journal.memory_writes set metadata = replace(metadata, $text, $blank)"
    " where contains(metadata, $text)",
    "update journal.runs set detail = replace(detail, $text, $blank) where contains(detail, $text)",
)

_COLUMNS = """
    select table_schema, table_name, column_name
    from information_schema.columns
    where table_catalog = current_database()
        and table_schema not in ('information_schema', 'pg_catalog')
    order by table_schema, table_name, ordinal_position
"""

_EXPORTS = "select detail from journal.runs where run_kind = 'export' order by event_sequence"


@dataclass(frozen=True, slots=True)
class Searched:
    """A relation, or a file, that was searched for what was erased, and how often it was there."""

    place: str
    found: int


@dataclass(frozen=True, slots=True)
class Erased:
    """The report of an erasure: what went, and every place that was searched afterwards.

    `exports` are files outside the store, written by `ebbing export`, that still hold the text:
    they are the user's to delete.
    """

    memory_ids: tuple[str, ...]
    searched: tuple[Searched, ...]
    exports: tuple[Searched, ...]

    @property
    def is_clean(self) -> bool:
        """Whether no copy is left in the store and its folder."""
        return not any(place.found for place in self.searched)


def erase(
    store: Store,
    memory_ids: Sequence[str],
    *,
    namespace: str,
    actor: str,
    at: datetime,
    progress: Progress | None = None,
) -> Erased:
    """Remove memories for good, with all texts merged into them, and prove it."""
    with store.write() as connection:
        store.fold_spool(connection)
        for memory_id in memory_ids:
            require_memory(connection, memory_id, namespace)
    dbt = Dbt(store.folder, progress=progress)
    with store.held():
        # A message that is not read yet may say it too, and what it displaced may not be known.
        bring_up_to_date(store, dbt)
        with store.write() as connection:
            rows = connection.execute(_TARGETS, {"memory_ids": list(memory_ids)}).fetchall()
            targets = _Targets(rows)
            # Were this to be stopped halfway, the next maintenance would build all anew.
            store.append([journal.Run(run_kind="build", outcome="begun", detail=ANEW)])
            targets.delete(connection, store, actor=actor, at=at)
            exports = [row[0] for row in connection.execute(_EXPORTS).fetchall()]
        _rewrite(store)
        shutil.rmtree(store.folder / "dbt", ignore_errors=True)
        for leftover in _leftovers(store.folder):
            if _count_in_file(leftover, targets.needles):
                leftover.unlink()
        bring_up_to_date(store, dbt)
        with store.read() as connection:
            searched = list(_search_relations(connection, targets.needles))
        searched += _search_files([store.folder], targets.needles)
    return Erased(
        memory_ids=targets.memory_ids,
        searched=tuple(searched),
        exports=tuple(
            place
            for place in _search_files([Path(export) for export in exports], targets.needles)
            if place.found
        ),
    )


def _leftovers(folder: Path) -> Iterator[Path]:
    """Yield files beside the store that may hold what was said: they go whole."""
    yield from (folder / "spool").glob("*.rejected")
    yield from (folder / "spool").glob("*.partial")
    yield from (folder / "hooks").glob("*.json")


class _Targets:
    """What is to be erased: ids, texts, and the messages that the texts came from."""

    def __init__(self, rows: Sequence[tuple[str, str | None, str | None, str | None]]) -> None:
        self.memory_ids = tuple(sorted({row[0] for row in rows}))
        self.texts = tuple(sorted({row[1] for row in rows if row[1]}, key=len, reverse=True))
        self._hashes = sorted({row[2] for row in rows if row[2]})
        self._message_ids = sorted({row[3] for row in rows if row[3]})

    @property
    def needles(self) -> tuple[str, ...]:
        return (*self.memory_ids, *self.texts)

    def delete(
        self, connection: duckdb.DuckDBPyConnection, store: Store, *, actor: str, at: datetime
    ) -> None:
        given = {"memory_ids": list(self.memory_ids)}
        orphaned = [row[0] for row in connection.execute(_ORPHANED, given).fetchall()]
        connection.execute("begin")
        try:
            for statement in _DELETE:
                connection.execute(statement, given)
            connection.execute(_DELETE_VECTORS, {"hashes": self._hashes})
            connection.execute(_BLANK_SOURCES, {"message_ids": self._message_ids, "blank": BLANK})
            for text in self.texts:
                for statement in _BLANK_TEXT:
                    connection.execute(statement, {"text": text, "blank": BLANK})
            connection.execute("commit")
        except BaseException:
            journal.roll_back(connection)
            raise
        store.append(
            [
                journal.MemoryChange(
                    event_id=ids.event_id(),
                    memory_id=memory_id,
                    change="forget",
                    reason="superseded by a memory that was erased",
                    actor=actor,
                    occurred_at=at,
                    recorded_at=at,
                )
                for memory_id in orphaned
            ]
        )


def _rewrite(store: Store) -> None:
    """Write the journal into a new file and put it in the old one's place, in one step."""
    # In a folder of its own, since the database must be called memory here too.
    workplace = store.folder / "erasing"
    shutil.rmtree(workplace, ignore_errors=True)
    workplace.mkdir(mode=0o700)
    fresh = workplace / FILE_NAME
    try:
        with contextlib.closing(
            duckdb.connect(str(fresh), config={"storage_compatibility_version": STORAGE_VERSION})
        ) as connection:
            _copy_journal(connection, store.path)
            connection.execute("checkpoint")
        fresh.chmod(0o600)
        os.replace(fresh, store.path)
        store.path.with_name(FILE_NAME + ".wal").unlink(missing_ok=True)
    except duckdb.Error as error:
        raise StoreError(
            f"the erased store could not be written anew ({' '.join(str(error).split())[:200]}); "
            "the rows are deleted, free blocks of the file may still hold them; erase again"
        ) from error
    finally:
        shutil.rmtree(workplace, ignore_errors=True)


def _copy_journal(connection: duckdb.DuckDBPyConnection, source: Path) -> None:
    quoted = str(source).replace("'", "''")
    connection.execute(f"attach '{quoted}' as source (read_only)")
    last = 0
    for event_type in journal.EVENT_TYPES:
        row = connection.execute(
            f"select coalesce(max(event_sequence), 0) from source.journal.{event_type.table}"
        ).fetchone()
        last = max(last, row[0] if row else 0)
    connection.execute("create schema if not exists journal")
    connection.execute(f"create sequence journal.event_sequence start {last + 1}")
    connection.execute(journal.create_statements())
    for event_type in journal.EVENT_TYPES:
        columns = ", ".join(["event_sequence", *(item.name for item in fields(event_type))])
        connection.execute(
            f"insert into journal.{event_type.table} ({columns}) "
            f"select {columns} from source.journal.{event_type.table} order by event_sequence"
        )
    connection.execute("detach source")


def _search_relations(
    connection: duckdb.DuckDBPyConnection, needles: Sequence[str]
) -> Iterator[Searched]:
    columns: dict[tuple[str, str], list[str]] = {}
    for schema, name, column in connection.execute(_COLUMNS).fetchall():
        columns.setdefault((schema, name), []).append(column)
    for (schema, name), names in columns.items():
        relation = f"{_identifier(schema)}.{_identifier(name)}"
        yield Searched(f"{schema}.{name}", _count_in_rows(connection, relation, names, needles))


def _count_in_rows(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    columns: Sequence[str],
    needles: Sequence[str],
) -> int:
    anywhere = " or ".join(
        f"list_bool_or([contains(cast({_identifier(column)} as varchar), needle) "
        "for needle in $needles])"
        for column in columns
    )
    row = connection.execute(
        f"select count(*) from {relation} where {anywhere}", {"needles": list(needles)}
    ).fetchone()
    return row[0] if row else 0


def _search_files(roots: Sequence[Path], needles: Sequence[str]) -> list[Searched]:
    files = [
        file
        for root in roots
        for file in ([root] if root.is_file() else sorted(root.rglob("*")))
        if file.is_file()
    ]
    return [
        Searched(
            str(file),
            _count_in_parquet(file, needles)
            if file.suffix == ".parquet"
            else _count_in_file(file, needles),
        )
        for file in files
    ]


def _count_in_parquet(file: Path, needles: Sequence[str]) -> int:
    """Count rows: the texts in such a file are compressed."""
    quoted = str(file).replace("'", "''")
    relation = f"read_parquet('{quoted}')"
    try:
        with contextlib.closing(duckdb.connect()) as connection:
            columns = [row[0] for row in connection.execute(f"describe from {relation}").fetchall()]
            return _count_in_rows(connection, relation, columns, needles)
    except duckdb.Error:
        return _count_in_file(file, needles)


def _count_in_file(file: Path, needles: Sequence[str]) -> int:
    """Count occurrences as plain bytes and as JSON writes them, in ASCII and in UTF-8."""
    forms = {
        form.encode("utf-8")
        for needle in needles
        for form in (
            needle,
            json.dumps(needle)[1:-1],
            json.dumps(needle, ensure_ascii=False)[1:-1],
        )
    }
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


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
