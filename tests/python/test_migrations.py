"""A journal changes its schema by numbered steps, and no store loses a row by it."""

import contextlib
import json
import lzma
import os
import re
import shutil
import stat
from pathlib import Path

import duckdb
import pytest

from ebbing import Memory, journal
from ebbing.errors import StoreCorrupt, StoreError
from ebbing.journal import EVENT_TYPES, Run, StoreSetting
from ebbing.project import CHECKOUT
from ebbing.store.store import Store
from store_harness import dbt_command

STORES = CHECKOUT / "tests" / "fixtures" / "stores"

NEXT = """
{% macro journal_format_NUMBER() %}
create table journal.notes (
    event_id varchar not null,
    event_sequence bigint not null default nextval('journal.event_sequence'),
    note varchar not null,
    recorded_at timestamp not null
);
alter table journal.runs add column seconds double;
STATEMENTS
{% endmacro %}
"""


@pytest.fixture
def next_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with one step more; every process of this test uses it."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(CHECKOUT / name, folder / name)
    for name in ("models", "macros", "seeds"):
        shutil.copytree(CHECKOUT / name, folder / name)
    shutil.copytree(CHECKOUT / "tests" / "generic", folder / "tests" / "generic")
    add_step(folder)
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(folder))
    return folder


def newest_step() -> int:
    return len(list((CHECKOUT / "macros" / "journal" / "formats").iterdir()))


def add_step(project: Path, statements: str = "") -> None:
    number = str(newest_step() + 1)
    (project / "macros" / "journal" / "formats" / f"journal_format_{number}.sql").write_text(
        NEXT.replace("NUMBER", number).replace("STATEMENTS", statements)
    )


Rows = dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]]


def rows(store: Store) -> Rows:
    """Every event by table, with the names of its columns."""
    found: Rows = {}
    with duckdb.connect(str(store.path), read_only=True) as connection:
        tables = connection.execute(
            "select table_name from duckdb_tables() where schema_name = 'journal'"
        ).fetchall()
        for (table,) in tables:
            result = connection.execute(f"from journal.{table}")
            names = tuple(column[0] for column in result.description or ())
            found[table] = names, result.fetchall()
    return found


def lost(before: Rows, store: Store) -> dict[str, list[tuple[object, ...]]]:
    """The rows that a store had, and has no more, by their columns of that time."""
    missing = {}
    with duckdb.connect(str(store.path), read_only=True) as connection:
        for table, (names, had) in before.items():
            has = connection.execute(f"select {', '.join(names)} from journal.{table}").fetchall()
            missing[table] = [row for row in had if row not in has]
    return {table: gone for table, gone in missing.items() if gone}


def formats(file: Path) -> list[str]:
    with duckdb.connect(str(file), read_only=True) as connection:
        found = connection.execute(
            "select setting_value from journal.store_settings order by event_sequence"
        ).fetchall()
    return [value for (value,) in found]


def kept_copy(store: Store) -> Path:
    return store.path.with_name(f"{store.path.name}.format-{newest_step()}")


def upgraded() -> list[str]:
    return [str(number) for number in range(1, newest_step() + 2)]


def test_the_first_write_takes_the_next_step_and_keeps_the_old_file(
    memory: Memory, next_project: Path
) -> None:
    before = memory.store.path.read_bytes()
    memory.remember("the router is in the attic")
    assert formats(memory.store.path) == upgraded()
    kept = kept_copy(memory.store)
    assert kept.read_bytes() == before
    if os.name != "nt":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert memory.recall("router attic", is_logged=False).memories
    memory.maintain()
    assert not kept.exists()


def test_plain_dbt_takes_the_step_too_and_keeps_the_old_journal(
    memory: Memory, next_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EBBING_PROJECT_DIR")
    memory.remember("the router is in the attic")
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(next_project))
    done = dbt_command(
        memory.store.folder, "run", "--select", "stg_journal__runs", project=next_project
    )
    assert done.returncode == 0, done.stdout
    assert formats(memory.store.path) == upgraded()
    kept = f"journal_format_{newest_step()}"
    with duckdb.connect(str(memory.store.path), read_only=True) as connection:
        found = connection.execute(f"select content from {kept}.memory_writes").fetchall()
    assert found == [("the router is in the attic",)]
    memory.store.drop_older_formats()
    with duckdb.connect(str(memory.store.path), read_only=True) as connection:
        schemas = connection.execute("select schema_name from duckdb_schemas()").fetchall()
    assert (kept,) not in schemas


def test_a_step_that_fails_changes_nothing(memory: Memory, next_project: Path) -> None:
    add_step(next_project, "select error('this step does not work');")
    with pytest.raises(StoreError, match="as it was") as failed:
        memory.remember("the router is in the cellar")
    assert "\n" not in str(failed.value)
    assert formats(memory.store.path) == upgraded()[:-1]
    with duckdb.connect(str(memory.store.path), read_only=True) as connection:
        assert connection.execute(
            "select count(*) from duckdb_tables() where table_name = 'notes'"
        ).fetchone() == (0,)


def test_a_newer_store_is_one_clear_line_from_plain_dbt_too(memory: Memory) -> None:
    newer = StoreSetting(setting="format_version", setting_value="99")
    memory.store.append([newer])
    before = memory.store.path.read_bytes()
    done = dbt_command(memory.store.folder, "run", "--select", "stg_journal__runs")
    assert done.returncode != 0
    assert "the store has format 99 and this version reads up to" in done.stdout
    assert memory.store.path.read_bytes() == before
    with pytest.raises(StoreCorrupt, match="upgrade"):
        memory.maintain()


def test_lines_of_an_older_format_take_the_defaults_of_new_columns() -> None:
    line = json.loads(journal.to_json(Run(run_kind="maintain", outcome="done")))
    del line["event"]["detail"]
    assert isinstance(journal.from_json(json.dumps(line)), Run)
    del line["event"]["event_id"]
    with pytest.raises(ValueError, match="fields"):
        journal.from_json(json.dumps(line))


# A store of each format that was ever out, as a file and as its journal.


@pytest.fixture(params=sorted(STORES.glob("*.duckdb.xz")), ids=lambda file: file.stem)
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    folder = tmp_path / "store"
    folder.mkdir()
    with lzma.open(request.param) as packed, (folder / "memory.duckdb").open("wb") as file:
        shutil.copyfileobj(packed, file)
    return Store(folder)


def test_every_command_keeps_every_row_of_an_older_store(older: Store) -> None:
    before = rows(older)
    memory = Memory(older.folder)
    with contextlib.suppress(StoreError):
        # Its own models may be too old to answer; it says so in one line.
        memory.recall("anything")
        memory.flush()
    assert lost(before, older) == {}
    Memory.create(older.folder)
    assert lost(before, older) == {}
    memory.maintain()
    assert lost(before, older) == {}
    assert memory.recall("router IP").memories
    assert not list(older.folder.glob("*.format-*"))


def test_plain_dbt_keeps_every_row_of_an_older_store(older: Store) -> None:
    before = rows(older)
    done = dbt_command(older.folder, "build", "--exclude-resource-type", "unit_test", "--quiet")
    assert done.returncode == 0, done.stdout
    assert lost(before, older) == {}


@pytest.mark.parametrize("file", sorted(STORES.glob("*.jsonl")), ids=lambda file: file.stem)
def test_the_export_of_an_older_store_is_read_whole(file: Path, tmp_path: Path) -> None:
    done = Memory.create(tmp_path / "new").import_(file)
    assert done.bad_lines == ()
    # The new store has recorded a model of its own, and keeps it.
    written = [line for line in file.read_text("utf-8").splitlines() if line.startswith('{"table"')]
    assert done.added + 1 == done.read == len(written)


# What a new event needs beside its class and its step.


def test_the_position_of_a_build_counts_every_event() -> None:
    (model,) = CHECKOUT.glob("models/**/int_journal_position.sql")
    counted = set(re.findall(r"'([a-z_]+)'", model.read_text("utf-8")))
    assert counted - {"table", "stg_journal__"} == {
        kind.table for kind in EVENT_TYPES if kind.is_built
    }


def test_every_event_has_its_staging_view_and_its_source() -> None:
    views = {file.stem for file in CHECKOUT.glob("models/staging/*.sql")}
    assert {f"stg_journal__{kind.table}" for kind in EVENT_TYPES} <= views
