"""Any sequence of dbt runs over one journal ends in the same public relations."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.embedding import Embedder, get_embedder
from ebbing.errors import ProviderError
from ebbing.maintenance.dbt import Dbt
from ebbing.project import CHECKOUT
from store_harness import assert_same_rows, dbt_command, killed, public_rows

STATEMENTS = (
    "I live in Hangzhou.",
    "我喜欢喝绿茶。",
    "I prefer tabs over spaces.",
    "I moved to Chengdu.",
    "My dog is called Pixel.",
)


def live_through(memory: Memory, clock: Clock, *days: int) -> None:
    """Events of every kind on each of the days, some of them about the past."""
    for day in days:
        clock.now = START + timedelta(days=day, minutes=day)
        memory.remember(f"Service number {day} listens on port {8000 + day}")
        memory.remember("The build takes 14 minutes", kind="skill")
        memory.remember(f"The router IP is 192.168.7.{day}", at=clock.now - timedelta(days=20))
        started = memory.start_task(f"find the port of service number {day}")
        clock.forward(minutes=10)
        memory.end_task(
            started.task_id,
            is_completed=day % 2 == 0,
            tokens_used=1_000 + 10 * day,
            errors=day % 3,
            ratings={found.memory_id: 2 for found in started.recalled.memories[:1]},
        )
        memory.forget(memory.remember(f"A passing remark of day {day}").memory_id)
    memory.flush()


def say(memory: Memory, folder: Path, session: str, *, at: datetime) -> None:
    """A session log, read in."""
    log = folder / f"{session}.jsonl"
    lines = [
        f'{{"session_id": "{session}", "role": "user", "content": "{text}", '
        f'"ts": "{(at + timedelta(minutes=place)).isoformat()}Z"}}'
        for place, text in enumerate(STATEMENTS)
    ]
    log.write_text("\n".join(lines) + "\n", "utf-8")
    memory.ingest([log])


class Unreachable:
    """A provider that is down, under the name of the one that is not."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def embed_passages(self, texts: object) -> object:
        raise ProviderError("the provider does not answer; nothing was lost; try again")

    embed_query = embed_passages


@pytest.fixture(scope="module")
def lived(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs between its events; tests that change it take copies."""
    folder = tmp_path_factory.mktemp("lived") / "store"
    shutil.copytree(built_store, folder)
    clock = Clock()
    memory = Memory(folder, clock=clock)
    live_through(memory, clock, 1, 5, 9)
    say(memory, folder.parent, "monday", at=START + timedelta(days=3))
    down = Memory(folder, clock=clock, embedder=Unreachable(get_embedder("hashing:64")))  # type: ignore[arg-type]
    for text in ("She sells clothes at the market", "She sells her clothes at the market"):
        down.remember(text)
        clock.forward(hours=1)
    assert down.maintain().waiting > 1
    live_through(memory, clock, 30, 31)
    # What happened before everything else comes last.
    say(memory, folder.parent, "the-year-before", at=START - timedelta(days=300))
    memory.remember("The router IP is 192.168.7.5", at=START - timedelta(days=100))
    memory.remember("User lives in Hangzhou", at=START - timedelta(days=400))
    assert memory.maintain().waiting == 0
    live_through(memory, clock, 60)
    memory.maintain()
    return folder


@pytest.fixture
def copy(lived: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(lived, folder)
    return folder


def test_a_repeated_run_and_a_full_refresh_leave_the_same_relations(copy: Path) -> None:
    expected = public_rows(copy)
    assert len(expected["long_term_memory"]) > 10
    for relation in ("forgotten_memories", "memory_attribution", "memory_sources", "tasks"):
        assert expected[relation]
    dbt = Dbt(copy)

    with Memory(copy).store.held():
        dbt.run("run")
    assert_same_rows(public_rows(copy), expected)
    with Memory(copy).store.held():
        dbt.build(full_refresh=True)
        # What must always hold does so on a store that has lived.
        assert dbt.run("test", "--select", "test_type:singular").failed_tests == ()
    assert_same_rows(public_rows(copy), expected)


def test_runs_on_sixty_days_and_one_on_the_last_give_the_same_relations(
    lived: Path, tmp_path: Path
) -> None:
    """T5: what a run on any day wrote does not enter into what the next one writes."""
    source = tmp_path / "source"
    shutil.copytree(lived, source)
    clock = Clock(START + timedelta(days=60))
    Memory(source, clock=clock).export(tmp_path / "journal.jsonl")
    one_run = Memory(tmp_path / "one-run", clock=clock)
    one_run.import_(tmp_path / "journal.jsonl")

    assert_same_rows(public_rows(one_run.store.folder), public_rows(lived))


def test_changed_seeds_change_what_was_built_and_need_no_full_refresh(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for part in ("models", "macros", "seeds", "tests/generic", "tests/invariants"):
        shutil.copytree(CHECKOUT / part, project / part)
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(CHECKOUT / name, project / name)
    seeds = project / "seeds"
    kinds = (seeds / "memory_kinds.csv").read_text("utf-8")
    assert "fact,exponential,0.95,0.3" in kinds
    (seeds / "memory_kinds.csv").write_text(
        kinds.replace("fact,exponential,0.95,0.3", "fact,exponential,0.80,0.2"), "utf-8"
    )
    for seed in ("extraction_rules", "comparison_words"):
        # Every other row goes.
        head, *rows = (seeds / f"{seed}.csv").read_text("utf-8").splitlines(keepends=True)
        (seeds / f"{seed}.csv").write_text(head + "".join(rows[::2]), "utf-8")
    before = public_rows(copy)
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(project))

    memory = Memory(copy, clock=Clock(START + timedelta(days=61)))
    memory.maintain()
    incremental = public_rows(copy)
    assert incremental["long_term_memory"] != before["long_term_memory"]
    assert incremental["memory_sources"] != before["memory_sources"]
    with memory.store.held():
        Dbt(copy).build(full_refresh=True)
    assert_same_rows(public_rows(copy), incremental)


def test_p3_a_maintenance_that_is_killed_changes_nothing_of_what_the_next_one_gives(
    copy: Path, tmp_path: Path
) -> None:
    clock = Clock(START + timedelta(days=70))
    memory = Memory(copy, clock=clock)
    live_through(memory, clock, 70)
    say(memory, tmp_path, "late", at=clock.now)
    spared = tmp_path / "spared"
    shutil.copytree(copy, spared)
    Memory(spared, clock=clock).maintain()
    asked = "which port does service number 31 listen on"
    before = {found.content for found in memory.recall(asked, is_logged=False).memories}
    assert before

    killed(copy, "maintain", now=clock.now.isoformat(), after=1, node="long_term_memory")
    # Still whole for those who read: nothing that was found is lost on the way.
    answer = memory.recall(asked, is_logged=False)
    assert {found.content for found in answer.memories} == before
    memory.maintain()

    assert_same_rows(public_rows(copy), public_rows(spared))


def test_p3_a_first_build_that_is_killed_leaves_nothing_and_the_next_one_is_whole(
    built_store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    script = (
        "import os, signal, sys\n"
        "from ebbing import Memory\n"
        "def progress(done, total, node):\n"
        "    if node == 'int_memory_strengths':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "Memory.create(sys.argv[1], model='hashing:64', progress=progress)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder)], check=False)
    assert done.returncode == -9
    assert not Memory(folder).store.exists()

    memory = Memory.create(folder, model="hashing:64", clock=Clock())
    memory.remember("The office plant is called Fern")
    assert [found.content for found in memory.recall("office plant").memories] == [
        "The office plant is called Fern"
    ]
    assert public_rows(folder).keys() == public_rows(built_store).keys()
    assert not (folder / "work").exists()


def test_plain_dbt_at_the_root_builds_and_tests_an_empty_folder(tmp_path: Path) -> None:
    built = dbt_command(tmp_path, "build", "--exclude-resource-type", "unit_test")
    assert built.returncode == 0, built.stdout[-2_000:]
    assert "WARN=0" in built.stdout
    with duckdb.connect(str(tmp_path / "memory.duckdb"), read_only=True) as connection:
        assert connection.execute("from recall(null, query_text := 'anything')").fetchall() == []

    # And the runner takes over what dbt has built.
    memory = Memory.create(tmp_path, model="hashing:64", clock=Clock())
    memory.remember("The office plant is called Fern")
    ran = dbt_command(tmp_path, "run")
    assert ran.returncode == 0, ran.stdout[-2_000:]
    assert [found.content for found in memory.recall("office plant").memories] == [
        "The office plant is called Fern"
    ]
    memory.flush()


def test_parsing_the_project_warns_of_nothing(tmp_path: Path) -> None:
    parsed = dbt_command(tmp_path, "parse", "--show-all-deprecations", "--no-partial-parse")
    assert parsed.returncode == 0, parsed.stdout
    said = parsed.stdout.lower()
    assert "deprecat" not in said
    assert "[warning]" not in said
