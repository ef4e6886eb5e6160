"""A role sees and writes the namespaces that it was granted, whatever it asks for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.errors import InputError
from ebbing.remote.asking import forget_remote
from ebbing.remote.granting import grant_statements
from ebbing.remote.settings import links
from remote_harness import journal_rows
from servers.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    found = PostgresServer()
    try:
        found.start()
        yield found
    finally:
        found.remove()


def joined(built_store: Path, folder: Path, url: str, clock: Clock, namespace: str) -> Memory:
    shutil.copytree(built_store, folder)
    memory = Memory(folder, clock=clock, namespace=namespace)
    memory.add_remote(url)
    return memory


def test_a_role_neither_sees_nor_writes_what_is_anothers(
    built_store: Path, tmp_path: Path, server: PostgresServer, clock: Clock
) -> None:
    owner = joined(built_store, tmp_path / "owner", server.address, clock, "team")
    owner.remember("The team meets on Monday")
    private = Memory(owner.store.folder, clock=clock, namespace="private")
    hidden = private.remember("The salary list is in the drawer")
    private.forget(hidden.memory_id)
    private.start_task("read the salary list")
    private.flush()
    owner.sync()

    server.execute(grant_statements("worker", ["team"]))
    worker = joined(built_store, tmp_path / "worker", server.address_of("worker"), clock, "team")
    rows = journal_rows(worker)
    assert len(rows["memory_writes"]) == len(rows["embeddings"]) == 1
    assert "salary" not in repr(rows)
    assert rows["memory_changes"] == rows["task_starts"] == []
    for table in ("events", "vectors", "tombstones", "scopes"):
        try:
            seen = repr(server.execute(f"select * from ebbing.{table}", user="worker"))
        except Exception as error:
            seen = repr(error)
        assert "salary" not in seen
        assert hidden.memory_id not in seen

    # What it writes within its scope all see; outside of it, nothing is taken.
    worker.remember("The meeting moved to Tuesday")
    owner.sync()
    assert len(journal_rows(owner)["memory_writes"]) == 3
    outside = Memory(worker.store.folder, clock=clock, namespace="private")
    assert "does not let this user" in str(outside.remember("Let me in").note)
    (done,) = worker.sync()
    assert done.sent == 0
    owner.sync()
    assert "Let me in" not in repr(journal_rows(owner))
    assert len(journal_rows(owner)["embeddings"]) == 3
    # More rights later: what was there before comes too.
    server.execute(grant_statements("worker", ["team", "private"]))
    (done,) = worker.sync()
    assert done.is_whole
    assert journal_rows(worker)["memory_changes"] == (journal_rows(owner)["memory_changes"])
    for memory in (owner, worker):
        forget_remote(links(memory.store.folder)[0])


@pytest.mark.parametrize(
    ("role", "namespaces"), [("x; drop table y", ["a"]), ("Worker", ["a"]), ("worker", [])]
)
def test_what_would_not_be_sound_sql_is_refused(role: str, namespaces: list[str]) -> None:
    with pytest.raises(InputError, match="nothing was granted"):
        grant_statements(role, namespaces)


def test_a_namespace_is_quoted() -> None:
    assert "('worker', 'o''brien')" in grant_statements("worker", ["o'brien"])
