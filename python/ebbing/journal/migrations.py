"""The journal's schema, in numbered steps: `macros/journal/formats/journal_format_N.sql`.

A step that is out is never edited, since there are stores that had it; the next one changes what
it made. dbt takes the same steps before it builds, by the macro `migrate_journal`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.errors import StoreError
from ebbing.project import project_dir

_STEP = re.compile(r"journal_format_([1-9][0-9]*)\.sql")


def newest_format() -> int:
    """Return the format that this version writes, and up to which it reads."""
    return max(_steps(project_dir()))


def migrate(connection: duckdb.DuckDBPyConnection, found: int) -> None:
    """Take every step after the format that was found (0 is none), each in a transaction."""
    for number in range(found + 1, newest_format() + 1):
        setting = journal.StoreSetting(setting="format_version", setting_value=str(number))
        connection.execute("begin")
        try:
            connection.execute(_statements(number))
            journal.insert(connection, [setting])
            connection.execute("commit")
        except BaseException as error:
            journal.roll_back(connection)
            # What the disk or the system did has its own line.
            if not isinstance(error, duckdb.Error) or isinstance(error, duckdb.OperationalError):
                raise
            raise StoreError(
                f"the journal could not be brought to format {number} "
                f"({' '.join(str(error).split())[:200]}); it is as it was; "
                "go on with the version of ebbing that you had, and report this"
            ) from error


def create_statements() -> str:
    """Return the DDL of a journal of the newest format."""
    return "\n".join(_statements(number) for number in range(1, newest_format() + 1))


@cache
def _steps(project: Path) -> dict[int, Path]:
    folder = project / "macros" / "journal" / "formats"
    found = ((_STEP.fullmatch(path.name), path) for path in folder.iterdir())
    return {int(match[1]): path for match, path in found if match}


def _statements(number: int) -> str:
    # Only a change of the schema needs Jinja, and it costs more to import than a recall takes.
    from jinja2 import Environment

    text = _steps(project_dir())[number].read_text("utf-8")
    return str(getattr(Environment().from_string(text).module, f"journal_format_{number}")())
