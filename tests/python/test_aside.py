"""A store is rebuilt in a copy: nobody waits for it, nothing is lost, and a kill harms nothing."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.errors import StoreBusy, StoreError
from ebbing.journal import MemoryWrite
from ebbing.store import aside as aside_module
from ebbing.store.aside import aside, maintenance
from ebbing.store.store import Store

# A maintenance without dbt, which ends itself with -9 at the call of a step, or behind it.
KILLED = """
import os, signal, sys
from test_aside import write
from ebbing.store import aside as module
from ebbing.store.store import Store
folder, step, when = sys.argv[1:4]
owner = module.os if step == "replace" else module
done = getattr(owner, step)
def dying(*arguments, **options):
    if when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    done(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)
store = Store(folder)
with module.maintenance(store), module.aside(store) as work:
    work.copy.append([write("made by maintenance")])
    store.append([write("appended meanwhile")])
    setattr(owner, step, dying)
"""

# Writes, and ends before the log is in the file.
KILLED_WRITER = """
import os, sys, duckdb
connection = duckdb.connect(sys.argv[1])
connection.execute(
    "insert into journal.runs (event_id, run_kind, outcome, occurred_at, recorded_at)"
    " values ('in the log', 'test', 'done', now(), now())"
)
os._exit(0)
"""


def write(content: str) -> MemoryWrite:
    return MemoryWrite(
        memory_id=content,
        namespace="default",
        kind="fact",
        content=content,
        content_hash=content,
        actor="test",
        method="remember",
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.create()
    made.append([write("there before")])
    return made


def contents(store: Store) -> list[str]:
    with store.read() as connection:
        rows = connection.execute(
            "select content from journal.memory_writes order by event_sequence"
        ).fetchall()
    return [content for (content,) in rows]


def sequences(store: Store) -> list[int]:
    with store.read() as connection:
        return [
            number
            for table in ("memory_writes", "store_settings", "runs")
            for (number,) in connection.execute(
                f"select event_sequence from journal.{table}"
            ).fetchall()
        ]


def leave_log(store: Store) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_WRITER, str(store.path)], check=False)
    assert done.returncode == 0
    assert store.path.with_name("memory.duckdb.wal").exists()


def runs(store: Store) -> list[str]:
    with store.read() as connection:
        rows = connection.execute("select event_id from journal.runs").fetchall()
    return [event_id for (event_id,) in rows]


def test_what_is_made_in_the_copy_and_what_is_appended_meanwhile_both_stay(store: Store) -> None:
    with maintenance(store), aside(store) as work:
        store.append([write("appended first")])
        work.copy.append([write("made by maintenance")])
        assert contents(store) == ["there before", "appended first"]
        work.catch_up()
        store.append([write("appended last")])
    assert contents(store) == [
        "there before",
        "made by maintenance",
        "appended first",
        "appended last",
    ]
    assert len(set(sequences(store))) == len(sequences(store))
    store.append([write("after the swap")])
    assert contents(store)[-1] == "after the swap"
    assert not (store.folder / "work").exists()


def test_an_event_that_both_have_counts_once(store: Store) -> None:
    event = write("a vector, say")
    with maintenance(store), aside(store) as work:
        for each in (store, work.copy):
            each.append([event])
    assert contents(store) == ["there before", "a vector, say"]


def test_many_events_come_over_before_the_store_is_held(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aside_module, "_MANY", 3)
    with maintenance(store), aside(store):
        store.append([write(f"event {number}") for number in range(10)])
    assert contents(store)[1:] == [f"event {number}" for number in range(10)]


def test_a_body_that_fails_leaves_the_store_as_it_was(store: Store) -> None:
    def failing() -> None:
        with maintenance(store), aside(store) as work:
            work.copy.append([write("half of an import")])
            store.append([write("appended meanwhile")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert contents(store) == ["there before", "appended meanwhile"]
    assert not (store.folder / "work").exists()


def test_a_new_store_is_there_when_it_is_whole(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    with maintenance(store), aside(store) as work:
        work.copy.append([write("the first")])
        assert not store.exists()
    assert contents(store) == ["the first"]
    if os.name != "nt":
        assert store.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["sync_file", "replace", "sync_folder"])
def test_a_kill_at_any_step_of_the_swap_loses_nothing(store: Store, step: str, when: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store.folder), step, when],
        cwd=Path(__file__).parent,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    found = contents(store)
    assert found[0] == "there before"
    assert "appended meanwhile" in found
    is_swapped = step == "sync_folder" or (step, when) == ("replace", "after")
    assert ("made by maintenance" in found) == is_swapped
    # The next one is not held up by what was left, and leaves nothing itself.
    with maintenance(store), aside(store):
        store.append([write("later")])
    assert contents(store) == [*found, "later"]
    assert not (store.folder / "work").exists()


@pytest.mark.parametrize("moment", ["before the copy", "before the swap"])
def test_a_log_that_a_killed_writer_left_is_kept(store: Store, moment: str) -> None:
    if moment == "before the copy":
        leave_log(store)
    with maintenance(store), aside(store) as work:
        work.copy.append([write("made by maintenance")])
        if moment == "before the swap":
            leave_log(store)
    assert runs(store) == ["in the log"]
    assert contents(store) == ["there before", "made by maintenance"]
    assert not store.path.with_name("memory.duckdb.wal").exists()


@pytest.fixture
def holder(store: Store) -> Iterator[subprocess.Popen[str]]:
    """A program that knows nothing of the lock, and opens the file when it is told to."""
    script = (
        "import sys, duckdb\n"
        "input()\n"
        "with duckdb.connect(sys.argv[1]): print('open', flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def test_a_foreign_writer_keeps_the_copy_out_and_loses_nothing(
    store: Store, holder: subprocess.Popen[str]
) -> None:
    impatient = Store(store.folder, budget=0.1)

    def maintained() -> None:
        with maintenance(impatient), aside(impatient) as work:
            work.copy.append([write("made by maintenance")])
            assert holder.stdin is not None
            assert holder.stdout is not None
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert holder.stdout.readline() == "open\n"

    with pytest.raises(StoreBusy, match=str(holder.pid)):
        maintained()
    holder.communicate("\n")
    assert contents(store) == ["there before"]
    assert not (store.folder / "work").exists()


def test_a_store_that_was_replaced_meanwhile_is_not_brought_back(store: Store) -> None:
    def maintained() -> None:
        with maintenance(store), aside(store):
            other = Store(store.folder / "other")
            other.create()
            other.append([write("without what was erased")])
            os.replace(other.path, store.path)

    with pytest.raises(StoreError, match="replaced"):
        maintained()
    assert contents(store) == ["without what was erased"]


def test_a_file_of_which_much_is_free_is_written_anew(store: Store) -> None:
    with store.write() as connection:
        connection.execute("create table much as select hash(range)::varchar from range(1000000)")
        connection.execute("create view internal_view as select content from journal.memory_writes")
    before = store.path.stat().st_size
    with maintenance(store), aside(store) as work, work.copy.write() as connection:
        connection.execute("drop table much")
    assert store.path.stat().st_size < before / 2
    store.append([write("after it")])
    assert contents(store) == ["there before", "after it"]
    assert len(set(sequences(store))) == len(sequences(store))
    with store.read() as connection:
        assert connection.execute("select count(*) from internal_view").fetchone() == (2,)


# A whole maintenance, with dbt.


def test_nobody_waits_for_a_build(store_path: Path, clock: Clock) -> None:
    """At each node of the build: a question is answered, and a memory is written, at once."""
    memory = Memory(store_path, clock=clock)
    memory.remember("the router is in the attic")
    memory.maintain()
    impatient = Memory(store_path, clock=clock, budget=0.0)
    written: list[str] = []
    # dbt builds two nodes at once, whose questions would wait for each other.
    alone = threading.Lock()

    def progress(done: int, total: int, node: str) -> None:
        with alone:
            answer = impatient.recall("where is the router", is_logged=False)
            assert "the router is in the attic" in [found.content for found in answer.memories]
            told = impatient.remember(f"{node} was built as number {done}", wait=False)
            assert not told.is_spooled
            written.append(told.memory_id)

    memory.remember("the spare router is in the cellar")
    maintained = memory.maintain(progress=progress)
    assert len(written) == maintained.nodes > 10
    with memory.store.read() as connection:
        found = connection.execute("select memory_id from journal.memory_writes").fetchall()
    assert {memory_id for (memory_id,) in found} > set(written)
    assert len(found) == len(written) + 2
    # And what came meanwhile is found by the next question, built or not.
    newest = memory.recall(f"recall_index was built as number {len(written)}", is_logged=False)
    assert newest.memories


def test_what_is_missing_is_built_whatever_was_noted(store_path: Path, clock: Clock) -> None:
    memory = Memory(store_path, clock=clock)
    memory.remember("the router is in the attic")
    memory.maintain()
    assert memory.maintain().nodes == 0
    with duckdb.connect(str(memory.store.path)) as connection:
        connection.execute("drop table long_term_memory")
    assert memory.maintain().nodes > 60
    with duckdb.connect(str(memory.store.path)) as connection:
        # As a run of plain dbt leaves it that was killed after its first tables.
        connection.execute("update internal.int_journal_position set journal_position = 1000")
    assert memory.maintain().nodes > 10
    assert memory.maintain().nodes == 0
    with memory.store.read() as connection:
        assert connection.execute("select count(*) from long_term_memory").fetchone() == (1,)


def test_an_empty_maintenance_does_not_even_import_dbt(memory: Memory) -> None:
    memory.remember("the router is in the attic")
    memory.maintain()
    before = memory.store.path.read_bytes()
    script = (
        "import sys\n"
        "from ebbing import Memory\n"
        "done = Memory(sys.argv[1]).maintain()\n"
        "assert done.nodes == 0, done\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'dbt']\n"
    )
    subprocess.run([sys.executable, "-c", script, str(memory.store.folder)], check=True)
    assert memory.store.path.read_bytes() == before


def test_an_interrupted_first_build_leaves_no_half_store(tmp_path: Path) -> None:
    def progress(done: int, total: int, node: str) -> None:
        if done > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Memory.create(tmp_path / "store", model="hashing:64", progress=progress)
    assert not Store(tmp_path / "store").exists()
    assert not (tmp_path / "store" / "work").exists()


def test_a_folder_work_that_a_user_had_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create()
    projects = tmp_path / "work" / "build-thesis1"
    for place in (projects, tmp_path / "work" / "letters"):
        place.mkdir(parents=True)
        (place / "draft").write_text("mine")
    left = tmp_path / "work" / "build-abcd_123"
    left.mkdir()
    (left / "lock").touch()
    (left / "memory.duckdb").touch()

    with maintenance(store):
        pass

    assert not left.exists()
    assert (projects / "draft").read_text() == "mine"
    assert (tmp_path / "work" / "letters" / "draft").exists()
