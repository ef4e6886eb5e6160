"""Any sequence of dbt runs over one journal ends in the same public relations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from conftest import START, Clock
from store_harness import assert_same_rows, killed, public_rows

from ebbing import Memory
from ebbing.embedding import Embedder, get_embedder
from ebbing.errors import ProviderError
from ebbing.maintenance import Dbt
from ebbing.project import CHECKOUT

STATEMENTS = (
    "I live in Hangzhou.",
    "我喜欢喝绿茶。",
    "I prefer tabs over spaces.",
    "I moved to Chengdu.",
    "My dog is called Pixel.",
)


def live_through(memory: Memory, clock: Clock, *, days: int, first_day: int = 0) -> None:
    """Events of every kind, some of them about the past, spread over days."""
    for day in range(first_day, first_day + days):
        clock.now = START + timedelta(days=day, minutes=day)
        memory.remember(f"Service number {day % 7} listens on port {8000 + day}")
        if day % 3 == 0:
            memory.remember("The build takes 14 minutes", kind="skill")
        if day % 4 == 1:
            memory.remember(f"The router IP is 192.168.7.{day}", at=clock.now - timedelta(days=20))
        memory.recall("which port does the service listen on")
        memory.recall("The build takes 14 minutes")
        if day % 5 == 2:
            started = memory.start_task("find the port of a service")
            clock.forward(minutes=10)
            memory.end_task(
                started.task_id,
                is_completed=day % 2 == 0,
                tokens_used=1_000 + 10 * day,
                errors=day % 3,
                ratings={found.memory_id: 2 for found in started.recalled.memories[:1]},
            )
        if day % 6 == 4:
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


@pytest.fixture(scope="module")
def lived(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs between its events; tests that change it take copies."""
    folder = tmp_path_factory.mktemp("lived") / "store"
    shutil.copytree(built_store, folder)
    clock = Clock()
    memory = Memory(folder, clock=clock)
    live_through(memory, clock, days=12)
    say(memory, folder.parent, "monday", at=START + timedelta(days=3))
    memory.maintain()
    live_through(memory, clock, days=12, first_day=12)
    # What happened before everything else comes last.
    say(memory, folder.parent, "the-year-before", at=START - timedelta(days=300))
    memory.remember("The router IP is 192.168.7.13", at=START - timedelta(days=2))
    memory.remember("User lives in Hangzhou", at=START - timedelta(days=400))
    memory.maintain()
    live_through(memory, clock, days=2, first_day=24)
    memory.maintain()
    return folder


@pytest.fixture
def copy(lived: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(lived, folder)
    return folder


def test_a_repeated_run_a_build_and_a_full_refresh_leave_the_same_relations(copy: Path) -> None:
    expected = public_rows(copy)
    assert len(expected["long_term_memory"]) > 20
    assert expected["forgotten_memories"]
    assert expected["memory_attribution"]
    dbt = Dbt(copy)

    with Memory(copy).store.held():
        assert dbt.run("run").failed_tests == ()
        assert dbt.build().failed_tests == ()
    assert_same_rows(public_rows(copy), expected)
    with Memory(copy).store.held():
        # The tests of the project hold on a store that has lived.
        assert dbt.run("build", "--full-refresh").failed_tests == ()
    assert_same_rows(public_rows(copy), expected)


def test_many_runs_on_the_way_and_one_at_the_end_give_the_same_strengths(
    lived: Path, tmp_path: Path
) -> None:
    clock = Clock(START + timedelta(days=20))
    Memory(lived, clock=clock).export(tmp_path / "journal.jsonl")
    one_run = Memory(tmp_path / "one-run", clock=clock)
    one_run.import_(tmp_path / "journal.jsonl")

    found, expected = public_rows(one_run.store.folder), public_rows(lived)
    assert_same_rows(found, expected)


@pytest.mark.parametrize(
    ("seed", "old", "new"),
    [
        ("memory_kinds", "fact,exponential,0.95,0.3", "fact,exponential,0.80,0.2"),
        ("extraction_rules", None, None),
        ("comparison_words", None, None),
    ],
)
def test_a_changed_seed_changes_what_was_built_and_needs_no_full_refresh(
    copy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: str,
    old: str | None,
    new: str | None,
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for part in ("models", "macros", "seeds", "tests/generic", "tests/invariants"):
        shutil.copytree(CHECKOUT / part, project / part)
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(CHECKOUT / name, project / name)
    file = project / "seeds" / f"{seed}.csv"
    text = file.read_text("utf-8")
    if old is not None and new is not None:
        assert old in text
        text = text.replace(old, new)
    else:
        # Every other row goes.
        head, *rows = text.splitlines(keepends=True)
        text = head + "".join(rows[::2])
    file.write_text(text, "utf-8")
    before = public_rows(copy)
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(project))

    memory = Memory(copy, clock=Clock(START + timedelta(days=30)))
    memory.maintain()
    incremental = public_rows(copy)
    assert incremental["long_term_memory"] != before["long_term_memory"]
    with memory.store.held():
        Dbt(copy).build(full_refresh=True)
    assert_same_rows(public_rows(copy), incremental)


class Unreachable:
    """A provider that is down, under the name of the one that is not."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def embed_passages(self, texts: object) -> object:
        raise ProviderError("the provider does not answer; nothing was lost; try again")

    def embed_query(self, text: str) -> object:
        raise ProviderError("the provider does not answer; nothing was lost; try again")


def test_vectors_that_arrive_late_give_what_a_full_refresh_gives(copy: Path) -> None:
    clock = Clock(START + timedelta(days=40))
    down = Memory(copy, clock=clock, embedder=Unreachable(get_embedder("hashing:64")))  # type: ignore[arg-type]
    for text in (
        "She sells clothes at the market",
        "She sells her clothes at the market",
        "Service number 3 listens on port 9999",
    ):
        down.remember(text)
        clock.forward(hours=1)
    assert down.maintain().waiting == 3
    up = Memory(copy, clock=clock)
    assert up.maintain().embedded == 3
    incremental = public_rows(copy)
    with up.store.held():
        Dbt(copy).build(full_refresh=True)
    assert_same_rows(public_rows(copy), incremental)


def test_p3_a_maintenance_that_is_killed_changes_nothing_of_what_the_next_one_gives(
    copy: Path, tmp_path: Path
) -> None:
    clock = Clock(START + timedelta(days=50))
    memory = Memory(copy, clock=clock)
    live_through(memory, clock, days=2, first_day=50)
    say(memory, tmp_path, "late", at=clock.now)
    spared = tmp_path / "spared"
    shutil.copytree(copy, spared)
    Memory(spared, clock=clock).maintain()
    asked = "which port does service 1 listen on"
    before = [found.memory_id for found in memory.recall(asked, is_logged=False).memories]

    for node in ("int_memory_identities", "int_memory_pairs", "long_term_memory"):
        killed(copy, "maintain", now=clock.now.isoformat(), after=1, node=node)
        # Still whole for those who read: nothing that was found is lost on the way.
        answer = memory.recall(asked, is_logged=False)
        assert {found.memory_id for found in answer.memories} == set(before)
    memory.maintain()

    assert_same_rows(public_rows(copy), public_rows(spared))


def test_p3_a_first_build_that_is_killed_is_made_whole_by_the_next_maintenance(
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

    memory = Memory(folder, clock=Clock())
    memory.remember("The office plant is called Fern")
    memory.maintain()
    assert [found.content for found in memory.recall("office plant").memories] == [
        "The office plant is called Fern"
    ]
    assert public_rows(folder).keys() == public_rows(built_store).keys()


def dbt_command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Plain dbt at the root of the project, its output somewhere else."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), *arguments],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "EBBING_HOME": str(home),
            "EBBING_TARGET_PATH": str(home / "target"),
            "DBT_LOG_PATH": str(home / "logs"),
        },
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_plain_dbt_at_the_root_builds_and_tests_an_empty_folder(tmp_path: Path) -> None:
    built = dbt_command(tmp_path, "build")
    assert built.returncode == 0, built.stdout[-2_000:]
    assert "WARN=0" in built.stdout
    with duckdb.connect(str(tmp_path / "memory.duckdb"), read_only=True) as connection:
        assert connection.execute("from recall(null, query_text := 'anything')").fetchall() == []

    # And the runner takes over what dbt has built.
    memory = Memory.create(tmp_path, model="hashing:64", clock=Clock())
    memory.remember("The office plant is called Fern")
    memory.maintain()
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
    assert "warn" not in said
