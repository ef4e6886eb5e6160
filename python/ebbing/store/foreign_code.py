"""Code that came with a store: what somebody else's file would have us run.

A store holds views and macros, and whoever made the file may have put others in their place. No
connection of ours lets them reach a file, the network or a variable of Python's; what would try
is found before it is used.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from ebbing.errors import StoreCorrupt
from ebbing.project import project_dir
from ebbing.safety.seals import is_sealed, seal

_CONFINED = "set python_enable_replacements = false; set enable_external_access = false"

# What the project's models read rows from, beside tables.
_HARMLESS = ("unnest", "range", "generate_series", "query_table", "json_each", "json_tree")

# An object of the project's that calls a table function which no model of ours calls, or a macro
# that takes the place of one of DuckDB's own functions.
_FOREIGN = """
    with functions as materialized (
        select function_name, function_type, internal, macro_definition
        from duckdb_functions()
    ),
    outward as (
        select function_name
        from functions
        where internal
        group by function_name
        having
            bool_and(function_type in ('table', 'table_macro', 'pragma'))
            and not list_contains($harmless, function_name)
    ),
    code (object_name, definition) as (
        select function_name, macro_definition from functions where not internal
        union all
        select view_name, sql from duckdb_views() where not internal
    )
    select code.object_name, outward.function_name
    from code, unnest(
        regexp_extract_all(lower(code.definition), '([a-z_][a-z0-9_]*)"?\\s*\\(', 1)
    ) as calls (called)
    inner join outward on calls.called = outward.function_name
    where list_contains($own, code.object_name)
    union
    select code.object_name, code.object_name
    from code
    inner join functions on code.object_name = functions.function_name and functions.internal
    order by all
    limit 1
"""


def confine(connection: duckdb.DuckDBPyConnection, *, output: Path | None = None) -> None:
    """Let a connection reach no file but the store's own, and those of a folder to write to."""
    if output is not None:
        folder = str(output).replace("'", "''")
        connection.execute(f"set allowed_directories = ['{folder}']")
    connection.execute(_CONFINED)


def foreign_code(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, str] | None:
    """Return an object that isn't as the project builds it and what it calls, or None.

    Only a file that something else than ebbing has changed is looked into.
    """
    if is_ours(path):
        return None
    own = [file.stem for file in (project_dir() / "models").rglob("*.sql")]
    found = connection.execute(_FOREIGN, {"harmless": list(_HARMLESS), "own": own}).fetchone()
    if found is None:
        seal(path)
        return None
    return str(found[0]), str(found[1])


def refuse_foreign_code(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Raise where a view or macro of the store isn't as the project builds it."""
    if (found := foreign_code(connection, path)) is not None:
        raise StoreCorrupt(
            f"{found[0]} in {path} is not as ebbing builds it: it calls {found[1]}; nothing was "
            "read; where you trust what the store says, `ebbing maintain` builds it anew"
        )


def left_by_us(path: Path, *, was_ours: bool) -> None:
    """Note that what changed the file since it was looked into was ebbing."""
    if was_ours and not _log(path).exists():
        seal(path)


def is_ours(path: Path) -> bool:
    """Tell whether a file is as ebbing left it; a log beside it may hold other code."""
    return is_sealed(path) and not _log(path).exists()


def _log(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
