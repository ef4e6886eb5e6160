"""For tests of a store's life: its public relations, its bytes, processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ebbing import Memory
from ebbing.project import CHECKOUT
from ebbing.rows import fetch

_RELATIONS = """
    select table_name
    from information_schema.tables
    where table_schema = 'main'
    order by table_name
"""

# Ends itself, as a power cut would, once so many nodes of dbt or batches of texts are done.
_KILLED = """
import os, signal, sys
from datetime import datetime
from ebbing import Memory
folder, now, last, name, call = sys.argv[1:6]
def progress(done, total, node):
    if done >= int(last) and (name == "*" or name == node):
        os.kill(os.getpid(), signal.SIGKILL)
memory = Memory(folder, clock=lambda: datetime.fromisoformat(now))
getattr(memory, call)(*sys.argv[6:], progress=progress)
"""


def public_rows(folder: Path) -> dict[str, list[str]]:
    """Every row of every public relation, exactly, in an order that no run decides."""
    with Memory(folder).store.read() as connection:
        names = [row[0] for row in fetch(connection, _RELATIONS)]
        return {
            name: sorted(repr(row) for row in fetch(connection, f'select * from main."{name}"'))
            for name in names
        }


def assert_same_rows(found: dict[str, list[str]], expected: dict[str, list[str]]) -> None:
    """Compare relation by relation, so that a failure names the rows that differ."""
    assert found.keys() == expected.keys()
    differing = {
        name: {"found": [*without(found[name], rows)], "expected": [*without(rows, found[name])]}
        for name, rows in expected.items()
        if found[name] != rows
    }
    assert differing == {}


def without(rows: list[str], others: list[str]) -> list[str]:
    return [row for row in rows if row not in others]


def places_of(folder: Path, needles: Iterable[str]) -> list[str]:
    """The files under a folder in which one of the texts is found, plain or as JSON writes it."""
    forms = {
        form.encode("utf-8")
        for needle in needles
        for form in (needle, json.dumps(needle)[1:-1], json.dumps(needle, ensure_ascii=False)[1:-1])
    }
    return [
        str(file.relative_to(folder))
        for file in sorted(folder.rglob("*"))
        if file.is_file() and any(form in file.read_bytes() for form in forms)
    ]


def relations_with(folder: Path, needles: Sequence[str]) -> list[str]:
    """The tables and views of every schema in which one of the texts is found."""
    found = []
    with Memory(folder).store.read() as connection:
        relations = fetch(
            connection,
            "select table_schema, table_name from information_schema.tables"
            " where table_catalog = current_database() order by all",
        )
        for schema, name in relations:
            rows = repr(fetch(connection, f'select * from "{schema}"."{name}"'))
            if any(needle in rows for needle in needles):
                found.append(f"{schema}.{name}")
    return found


def killed(folder: Path, call: str, *arguments: str, now: str, after: int, node: str = "*") -> None:
    """Run a call of the facade in a process that is killed with -9 in the middle of it."""
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(folder), now, str(after), node, call, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def command(
    *arguments: str,
    home: Path,
    text: str = "",
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    encoding: str = "utf-8",
) -> subprocess.CompletedProcess[str]:
    """Run `ebbing` as a user does, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ebbing", *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding=encoding,
        cwd=cwd,
        env={**os.environ, "EBBING_HOME": str(home), **(environment or {})},
        timeout=600,
        check=False,
    )


def dbt_command(
    home: Path, *arguments: str, project: Path = CHECKOUT
) -> subprocess.CompletedProcess[str]:
    """Plain dbt at the root of the project, its output somewhere else."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), *arguments],
        cwd=project,
        env={
            **os.environ,
            "EBBING_HOME": str(home),
            "DBT_TARGET_PATH": str(home / "target"),
            "DBT_LOG_PATH": str(home / "logs"),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
