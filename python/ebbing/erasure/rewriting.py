"""The journal without what is erased, in a new file that never held it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.erasure.intent import Intent
from ebbing.erasure.plan import Plan
from ebbing.errors import StoreError
from ebbing.journal import ids
from ebbing.journal.migrations import create_statements
from ebbing.rows import fetch
from ebbing.store.store import STORAGE_VERSION

_TABLES = """
    select table_name, list(column_name order by ordinal_position) as columns
    from information_schema.columns
    where table_catalog = 'source' and table_schema = 'journal'
    group by table_name
    order by table_name
"""

# Which rows go; of the other tables none do.
_GOES = {
    "memory_writes": "list_contains($memory_ids::varchar[], memory_id)",
    "memory_changes": "(list_contains($memory_ids::varchar[], memory_id)"
    " or list_contains($memory_ids::varchar[], coalesce(other_memory_id, '')))",
    "recall_hits": "list_contains($memory_ids::varchar[], memory_id)",
    "ratings": "list_contains($memory_ids::varchar[], memory_id)",
    "embeddings": "list_contains($vectors::varchar[], content_hash)",
}


def write_without(source: Path, target: Path, plan: Plan, intent: Intent) -> None:
    """Write the journal of `source` into `target`, which is new, as the plan leaves it."""
    try:
        with contextlib.closing(
            duckdb.connect(str(target), config={"storage_compatibility_version": STORAGE_VERSION})
        ) as connection:
            connection.execute("set timezone = 'UTC'")
            quoted = str(source).replace("'", "''")
            connection.execute(f"attach '{quoted}' as source (read_only)")
            tables = fetch(connection, _TABLES)
            last = max(_last_sequence(connection, table) for table, _ in tables)
            connection.execute("create schema journal")
            connection.execute(f"create sequence journal.event_sequence start {last + 1}")
            connection.execute(create_statements())
            _lay_out_rewritten(connection, plan)
            for table, columns in tables:
                _copy(connection, table, columns, plan)
            gone_last = _last_gone(connection, plan)
            connection.execute("drop table rewritten")
            connection.execute("detach source")
            if intent.before is None:
                journal.append(connection, _marks(plan, intent, gone_last))
            connection.execute("checkpoint")
    except duckdb.Error as error:
        raise StoreError(
            f"the store could not be written anew ({' '.join(str(error).split())[:200]}); "
            "nothing was erased; see to the cause and erase again"
        ) from error


def _copy(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], plan: Plan
) -> None:
    changed = sorted({one.column for one in plan.rewritten if one.table == table})
    values = ", ".join(_value(column, table, changed) for column in columns)
    joins = " ".join(
        f"left join rewritten as of_{column} on of_{column}.table_name = '{table}'"
        f" and of_{column}.column_name = '{column}' and of_{column}.event_id = source.event_id"
        for column in changed
    )
    goes, given = _goes(table, plan)
    connection.execute(
        f"insert into journal.{table} ({', '.join(columns)}) select {values}"
        f" from (select * from source.journal.{table} where not ({goes})) as source {joins}"
        " order by source.event_sequence",
        given,
    )


def _goes(table: str, plan: Plan) -> tuple[str, dict[str, object]]:
    """Return SQL for the rows of a table that go, and its parameters."""
    if table not in _GOES:
        return "false", {}
    condition = _GOES[table]
    name, wanted = (
        ("vectors", plan.vectors) if "$vectors" in condition else ("memory_ids", plan.gone)
    )
    return f"{condition} and event_id < $before", {name: list(wanted), "before": plan.before}


def _last_gone(connection: duckdb.DuckDBPyConnection, plan: Plan) -> str:
    """Return the last event id of what went or was rewritten: a clock elsewhere may be ahead."""
    last = [one.event_id for one in plan.rewritten]
    for table in _GOES:
        goes, given = _goes(table, plan)
        rows = fetch(
            connection, f"select max(event_id) from source.journal.{table} where {goes}", given
        )
        last += [rows[0][0]] if rows[0][0] is not None else []
    return max(last, default="")


def _value(column: str, table: str, changed: Sequence[str]) -> str:
    if column in changed:
        return f"coalesce(of_{column}.value, source.{column})"
    if table == "recalls" and column == "query_vector" and "query_text" in changed:
        # It says the same as the words.
        return "case when of_query_text.value is null then source.query_vector end"
    return f"source.{column}"


def _lay_out_rewritten(connection: duckdb.DuckDBPyConnection, plan: Plan) -> None:
    connection.execute(
        "create temp table rewritten"
        " (table_name varchar, column_name varchar, event_id varchar, value varchar)"
    )
    rows = [(one.table, one.column, one.event_id, one.after) for one in plan.rewritten]
    if rows:
        connection.executemany("insert into rewritten values (?, ?, ?, ?)", rows)


def _marks(plan: Plan, intent: Intent, gone_last: str) -> list[journal.Event]:
    """Return the events that an erasure leaves: its fingerprints, and what stays displaced."""
    marks: list[journal.Event] = [
        journal.Erasure(
            event_id=ids.event_id_after(gone_last),
            erasure_id=intent.erasure_id,
            namespace=plan.namespace,
            content_hash=content_hash,
            memory_id_hash=ids.content_hash(memory_id),
            recorded_at=intent.at,
        )
        for memory_id, content_hash in plan.content_hashes
    ]
    return marks + [
        journal.MemoryChange(
            memory_id=memory_id,
            change="forget",
            reason="superseded by a memory that was erased",
            actor=intent.actor,
            occurred_at=intent.at,
            recorded_at=intent.at,
        )
        for memory_id in plan.orphaned
    ]


def _last_sequence(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    rows = fetch(connection, f"select coalesce(max(event_sequence), 0) from source.journal.{table}")
    return int(rows[0][0])
