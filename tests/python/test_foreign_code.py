"""What comes with somebody else's store runs nothing of ours and reads nothing of the user's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ebbing import Memory
from ebbing.errors import StoreCorrupt
from ebbing.hooks import background
from ebbing.safety.seals import is_sealed
from ebbing.store.foreign_code import foreign_code
from ebbing.store.store import Store
from store_harness import command

PRIVATE = "nobody else is to read this"


@pytest.fixture
def private_file(tmp_path: Path) -> Path:
    file = tmp_path / "private.txt"
    file.write_text(PRIVATE, "utf-8")
    return file


def replace_recall(store: Path, body: str) -> None:
    """Put another macro in the place of `recall`, as whoever made the file could have."""
    with duckdb.connect(str(store / "memory.duckdb")) as connection:
        connection.execute(
            "create or replace macro recall(query_vector, query_text := null, top_k := 5,"
            " namespaces := null, kinds := null, min_similarity := 0.0, as_of := null,"
            " asked_from := null, asked_to := null, least_share := null) as table"
            f" select 'mem_0' as memory_id, 'fact' as kind, {body} as content,"
            " 1.0 as similarity, 1.0 as lexical_score, 1.0 as strength, 1.0 as weight,"
            " 1.0 as score, timestamp '2026-01-01' as created_at,"
            " null::timestamp as last_accessed_at, 'x' as source, false as is_outdated"
        )


def test_a_replaced_macro_is_refused_and_maintenance_builds_it_anew(
    store_path: Path, private_file: Path
) -> None:
    Memory(store_path).remember("Deploys run on Friday")
    replace_recall(store_path, f"(select content from read_text('{private_file}'))")
    done = command("recall", "deploys", home=store_path)
    assert done.returncode == 3
    assert PRIVATE not in done.stdout + done.stderr
    assert "recall" in done.stderr
    assert "read_text" in done.stderr
    assert done.stderr.count("\n") == 1
    Memory(store_path).maintain()
    assert [m.content for m in Memory(store_path).recall("deploys").memories] == [
        "Deploys run on Friday"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "(select content from read_text('{}'))",
        "(select content from READ_BLOB ('{}'))::varchar",
        "(select string_agg(file) from glob('{}'))",
        "(select any_value(columns(*)) from read_csv('{}'))",
        "(select any_value(name) from duckdb_settings())",
    ],
)
def test_code_that_reaches_outside_is_found(
    store_path: Path, private_file: Path, body: str
) -> None:
    replace_recall(store_path, body.format(private_file))
    with pytest.raises(StoreCorrupt, match="recall"):
        Memory(store_path).recall("deploys", with_vector=False)


def test_code_that_is_not_found_reaches_nothing(store_path: Path, private_file: Path) -> None:
    private_file.rename(private_file.with_suffix(".csv"))
    replace_recall(store_path, f"(select any_value(columns(*)) from '{private_file.parent}/*.csv')")
    with pytest.raises(StoreCorrupt, match="reach") as refused:
        Memory(store_path).recall("deploys", with_vector=False)
    assert PRIVATE not in str(refused.value)


def test_a_macro_in_the_place_of_a_function_of_duckdb_is_refused(store_path: Path) -> None:
    with duckdb.connect(str(store_path / "memory.duckdb")) as connection:
        connection.execute("create macro list_contains(l, e) as true")
    with pytest.raises(StoreCorrupt, match="list_contains"):
        Memory(store_path).recall("deploys", with_vector=False)


def test_a_store_that_ebbing_built_is_looked_into_once(store_path: Path) -> None:
    file = store_path / "memory.duckdb"
    assert not is_sealed(file)
    with Store(store_path).read() as connection:
        assert foreign_code(connection, file) is None
    assert is_sealed(file)
    Memory(store_path).remember("Deploys run on Friday")
    assert is_sealed(file)
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table somebody_was_here (a integer)")
    assert not is_sealed(file)


def test_no_connection_reaches_a_file_or_a_variable(store_path: Path, private_file: Path) -> None:
    frame = duckdb.sql("select 1 as a").fetchnumpy()
    assert frame
    store = Store(store_path)
    for opened in (store.read, store.write):
        with opened() as connection:
            for query in (
                f"select * from read_text('{private_file}')",
                f"copy (select 1) to '{private_file.parent}/out.csv'",
                f"attach '{private_file.parent}/other.duckdb'",
                "install httpfs",
                "set enable_external_access = true",
                "select * from frame",
            ):
                with pytest.raises(duckdb.Error):
                    connection.execute(query)


def test_dbt_reaches_no_file_through_a_store(store_path: Path, private_file: Path) -> None:
    with duckdb.connect(str(store_path / "memory.duckdb")) as connection:
        connection.execute("alter table journal.runs rename to real_runs")
        connection.execute(
            "create view journal.runs as select * replace"
            f" ((select content from read_text('{private_file}')) as detail)"
            " from journal.real_runs"
        )
    done = command("maintain", home=store_path)
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    found = [
        file
        for file in store_path.rglob("*")
        if file.is_file() and PRIVATE.encode() in file.read_bytes()
    ]
    assert found == []


def test_a_parse_that_came_with_a_store_is_not_used(store_path: Path) -> None:
    foreign = store_path / "dbt" / "target" / "partial_parse.msgpack"
    foreign.parent.mkdir(parents=True, exist_ok=True)
    foreign.write_bytes(b"not what dbt wrote here")
    memory = Memory(store_path)
    memory.remember("The attic is dry", with_vector=False)
    memory.maintain()
    assert memory.recall("The attic is dry", is_logged=False).memories
    assert foreign.read_bytes() == b"not what dbt wrote here"


# Processes


@pytest.mark.parametrize("place", ["store", "project"])
def test_the_background_imports_nothing_from_where_it_is_started(
    store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    trap = "import pathlib; pathlib.Path(r'{}').touch()".format(tmp_path / "sprung")
    folder = store_path if place == "store" else tmp_path / "project"
    folder.mkdir(exist_ok=True)
    for name in ("filelock", "duckdb", "json", "click"):
        (folder / f"{name}.py").write_text(trap, "utf-8")
    monkeypatch.chdir(folder)
    started: list[tuple[Any, dict[str, Any]]] = []

    def start(arguments: Any, **options: Any) -> None:
        started.append((arguments, options))

    monkeypatch.setattr(background.subprocess, "Popen", start)
    assert background.start_maintenance(store_path)
    monkeypatch.undo()
    ((arguments, options),) = started
    done = subprocess.run(
        [*arguments[:-2], str(tmp_path / "nothing here"), "0"], cwd=options["cwd"], check=False
    )
    assert done.returncode == 0
    # And by hand, from such a folder.
    done = subprocess.run(
        [sys.executable, "-m", "ebbing", "--version"], cwd=folder, check=False, capture_output=True
    )
    assert done.returncode == 0
    assert not (tmp_path / "sprung").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_what_a_store_is_made_of_is_the_users_alone(store_path: Path, tmp_path: Path) -> None:
    there = {*store_path.rglob("*")}
    before = os.umask(0o022)
    try:
        new = tmp_path / "new"
        new.mkdir(mode=0o755)
        Store(new).create()
        done = command("remember", "Deploys run on Friday", home=store_path)
        assert done.returncode == 0, done.stderr
    finally:
        os.umask(before)
    made = [new, *new.iterdir(), *({*store_path.rglob("*")} - there)]
    assert {file.name for file in made} >= {"new", "memory.duckdb"}
    for file in made:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
