"""A look at everything that a store needs, each with what to do about it."""

from __future__ import annotations

import os
import platform
import stat
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ebbing.embedding.model import embedder_for, recorded_model
from ebbing.errors import EbbingError
from ebbing.journal.spool import reason_name
from ebbing.maintenance.finding import Finding
from ebbing.maintenance.repair import Damage, damage
from ebbing.project import project_dir
from ebbing.store.files import abandoned_workplaces
from ebbing.store.location import INTENT_NAME
from ebbing.store.store import Store

_SET_ASIDE = """
    select journal_table, reason, count(*), min(event_sequence)
    from internal.stg_journal__set_aside
    group by journal_table, reason
    order by journal_table, reason
"""


def examine(store: Store) -> tuple[Finding, ...]:
    """Look at the installation, the store and its model; change nothing."""
    checks: tuple[Callable[[Store], Iterator[Finding]], ...] = (
        _packages,
        _project,
        _file,
        _damage,
        _erasure,
        _journal,
        _spool,
        _model,
        _agents,
    )
    return tuple(finding for check in checks for finding in check(store))


def _packages(store: Store) -> Iterator[Finding]:
    yield Finding("python", True, f"{platform.python_version()} on {platform.platform()}")
    for name in ("ebbing", "duckdb", "dbt-core", "dbt-duckdb"):
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            yield Finding(name, False, "not installed", f"pip install {name}")


def _project(store: Store) -> Iterator[Finding]:
    folder = project_dir()
    found = (folder / "dbt_project.yml").is_file()
    yield Finding(
        "dbt project",
        found,
        str(folder),
        None if found else "reinstall ebbing, or unset EBBING_PROJECT_DIR",
    )


def _file(store: Store) -> Iterator[Finding]:
    if not store.exists():
        yield Finding("store", False, f"none at {store.folder}", "ebbing init")
        return
    yield Finding("store", True, f"{store.path}, {store.path.stat().st_size:,} bytes")
    if os.name != "nt":
        mode = stat.S_IMODE(store.path.stat().st_mode)
        is_private = not mode & 0o077
        yield Finding(
            "permissions",
            is_private,
            f"{mode:o}",
            None if is_private else f"others can read it: chmod 600 {store.path}",
        )


def _damage(store: Store) -> Iterator[Finding]:
    try:
        found = damage(store)
    except EbbingError as error:
        yield Finding("file", False, str(error), "try again when nobody writes")
        return
    if found is not Damage.NONE:
        yield Finding("file", False, str(found), "ebbing doctor --repair")
    yield Finding(
        "mirror",
        True,
        "of the journal, to repair from" if store.mirror.exists() else "begins with the next write",
    )


def _erasure(store: Store) -> Iterator[Finding]:
    if (store.folder / INTENT_NAME).exists():
        yield Finding("erasure", False, "one was stopped halfway", "ebbing maintain")
    left = abandoned_workplaces(store.folder)
    if left:
        yield Finding(
            "working copies",
            False,
            f"left by processes that are no more: {', '.join(place.name for place in left)}",
            "ebbing maintain",
        )


def _journal(store: Store) -> Iterator[Finding]:
    if not store.exists():
        return
    try:
        with store.read() as connection:
            events = connection.execute("select count(*) from journal.memory_writes").fetchone()
            yield Finding("journal", True, f"{events[0] if events else 0} memories written")
            aside = connection.execute(_SET_ASIDE).fetchall()
            built = connection.execute(
                "select pending_embeddings, orphan_hits from memory_health"
            ).fetchone()
    except EbbingError as error:
        yield Finding("journal", False, str(error), "ebbing maintain")
        return
    for table, reason, rows, first in aside:
        yield Finding(
            "rows set aside",
            False,
            f"{rows} of {table}, the first with event_sequence {first}: {reason}",
            "nothing is harmed: no memory is made of them; where they came from, export anew",
        )
    pending, orphans = built or (0, 0)
    yield Finding(
        "vectors",
        not pending,
        f"{pending} memories wait for theirs",
        "ebbing maintain" if pending else None,
    )
    yield Finding(
        "hits",
        not orphans,
        f"{orphans} of unknown memories",
        "ebbing maintain" if orphans else None,
    )


def _spool(store: Store) -> Iterator[Finding]:
    waiting = store.spool.waiting()
    yield Finding(
        "spool", True, f"{len(waiting)} batches wait for the next writer or `ebbing maintain`"
    )
    rejected = sorted(store.spool.folder.glob("*.rejected"))
    if rejected:
        yield Finding(
            "rejected batches",
            False,
            "; ".join(f"{file.name}{_reason(file)}" for file in rejected),
            f"read them in {store.spool.folder}; delete them when they are of no use",
        )


def _reason(rejected: Path) -> str:
    try:
        return f" ({reason_name(rejected.with_suffix('')).read_text('utf-8').strip()})"
    except (OSError, UnicodeDecodeError):
        return ""


def _agents(store: Store) -> Iterator[Finding]:
    from ebbing.agents.checkup import check_agents

    return check_agents()


def _model(store: Store) -> Iterator[Finding]:
    if not store.exists():
        return
    try:
        with store.read() as connection:
            recorded = recorded_model(connection)
        vector = embedder_for(recorded, None).embed_query("a short text")
        yield Finding("embedding model", True, f"{recorded.model_id}, {len(vector)} numbers")
    except EbbingError as error:
        yield Finding("embedding model", False, str(error), "ebbing reembed --model MODEL")
