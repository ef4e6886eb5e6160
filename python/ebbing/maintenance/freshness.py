"""What the last build was made of, and whether a build now would make anything else.

Asked before dbt is imported, so it reads the project's files and the store, and no manifest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.project import project_dir
from ebbing.store.foreign_code import foreign_code

_PARTS = ("models", "macros", "seeds")
_SETTINGS = ("dbt_project.yml", "profiles.yml", "selectors.yml")
_PACKAGES = ("dbt-core", "dbt-adapters", "dbt-duckdb", "duckdb")

_LAST_RUN = """
    select max_by(detail, event_sequence) from journal.runs where run_kind = 'build'
"""

# What dbt notes where it has built every table. A run that was stopped has read the journal or
# the settings as they are now, and noted nothing.
_LAST_BUILD = """
    select finished.journal_position
    from internal.last_build as finished
    inner join internal.int_journal_position using (journal_position)
    inner join internal.int_settings using (settings_fingerprint)
"""

_MODEL = "select max_by(model_id, event_sequence) from journal.embedding_models"

_RELATIONS = """
    select table_name from duckdb_tables() where database_name = current_database()
    union all
    select view_name from duckdb_views() where database_name = current_database() and not internal
    union all
    select function_name
    from duckdb_functions()
    where database_name = current_database() and function_type = 'table_macro' and not internal
"""

_EPHEMERAL = re.compile(r"materialized\s*=\s*'ephemeral'")


@dataclass(frozen=True, slots=True)
class Build:
    """What a build was made of; `waiting` texts had no vector.

    `fingerprint` is that of the project and the embedding model, `position` the sequence number
    of the last event that it saw.
    """

    fingerprint: str
    position: int
    waiting: int = 0

    def event(self) -> journal.Run:
        """Return the event that records the build, but for its position, which dbt notes."""
        noted = {"fingerprint": self.fingerprint, "waiting": self.waiting}
        return journal.Run(run_kind="build", outcome="done", detail=json.dumps(noted))


def last_build(connection: duckdb.DuckDBPyConnection, path: Path) -> Build | None:
    """Return the last build, if the store at the path still holds all of what it made."""
    row = connection.execute(_LAST_RUN).fetchone()
    detail = row[0] if row else None
    if not _is_whole(connection) or foreign_code(connection, path) is not None:
        return None
    try:
        finished = connection.execute(_LAST_BUILD).fetchone()
        return Build(**json.loads(detail), position=finished[0]) if detail and finished else None
    except (ValueError, TypeError, duckdb.CatalogException, duckdb.BinderException):
        # Another version noted other things.
        return None


def build_now(connection: duckdb.DuckDBPyConnection) -> Build:
    """Return what a build of the store as it is would be made of."""
    row = connection.execute(_MODEL).fetchone()
    return Build(
        fingerprint=fingerprint(project_dir(), str(row[0]) if row else ""),
        position=journal.position(connection, of_built=True),
    )


def _is_whole(connection: duckdb.DuckDBPyConnection) -> bool:
    there = {row[0] for row in connection.execute(_RELATIONS).fetchall()}
    return there.issuperset(_names(project_dir()))


def fingerprint(project: Path, model_id: str) -> str:
    """Return a digest of all that a build depends on beside the journal's events."""
    return hashlib.sha256(f"{model_id}\0{digest_of(project, _PARTS)}".encode()).hexdigest()


def digest_of(project: Path, parts: Sequence[str]) -> str:
    """Return a digest of a project's files in those folders, its settings, and dbt's versions."""
    digest = hashlib.sha256()
    for file in _files(project, parts):
        digest.update(f"\0{file.relative_to(project).as_posix()}\0".encode())
        digest.update(file.read_bytes())
    for package in _PACKAGES:
        try:
            digest.update(f"\0{package} {version(package)}".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()


def _files(project: Path, parts: Sequence[str]) -> Iterator[Path]:
    for part in parts:
        yield from sorted(file for file in (project / part).rglob("*") if file.is_file())
    yield from (project / name for name in _SETTINGS if (project / name).is_file())


def _names(project: Path) -> set[str]:
    models = {
        file.stem
        for file in (project / "models").rglob("*.sql")
        if not _EPHEMERAL.search(file.read_text("utf-8"))
    }
    return models | {file.stem for file in (project / "seeds").rglob("*.csv")}
