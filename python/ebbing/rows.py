"""Rows into frozen dataclasses: columns become fields in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import duckdb

from ebbing.safety.text import repair

Row = TypeVar("Row")


def fetch_as(
    connection: duckdb.DuckDBPyConnection,
    row_type: type[Row],
    statement: str,
    parameters: Mapping[str, object] | None = None,
) -> list[Row]:
    """Run a fixed statement with bound parameters; one instance of `row_type` for each row."""
    return [row_type(*row) for row in fetch(connection, statement, parameters)]


def fetch(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    parameters: Mapping[str, object] | None = None,
) -> list[tuple[Any, ...]]:
    """Run a fixed statement with bound parameters; half a character in one becomes U+FFFD."""
    bound = {
        name: repair(value) if isinstance(value, str) else value
        for name, value in (parameters or {}).items()
    }
    return connection.execute(statement, bound).fetchall()
