"""Many processes use one store: nothing is lost, nobody is turned away, a kill harms nothing."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from ebbing.errors import StoreBusy
from ebbing.journal.events import MemoryWrite
from ebbing.store.store import Appended, Store

EVENT = """
import sys
from ebbing.journal.events import MemoryWrite
from ebbing.store.store import Appended, Store
def write(content):
    return MemoryWrite(memory_id="m-" + content, namespace="default", kind="fact",
        content=content, content_hash="h", actor="test", method="remember")
"""

WRITER = (
    EVENT
    + """
folder, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = Store(folder, budget=60)
for index in range(number):
    appended = store.append([write(f"{name}-{index}")])
    assert appended == Appended(inserted=1, spooled=0), appended
"""
)

# Says what it wrote only once it is acknowledged.
ENDLESS_WRITER = (
    EVENT
    + """
store, index = Store(sys.argv[1], budget=60), 0
while True:
    content = f"{sys.argv[2]}-{index}"
    store.append([write(content)])
    print(content, flush=True)
    index += 1
"""
)

READER = (
    EVENT
    + """
import time
store, worst = Store(sys.argv[1], budget=30), 0.0
for _ in range(int(sys.argv[2])):
    started = time.monotonic()
    with store.read() as connection:
        connection.execute("select count(*) from journal.memory_writes").fetchone()
    worst = max(worst, time.monotonic() - started)
print(worst)
"""
)

# Holds the file as a DuckDB shell does: without the advisory lock.
SHELL = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "home", budget=60)
    store.create()
    return store


def write(content: str) -> MemoryWrite:
    return MemoryWrite(
        memory_id="m",
        namespace="default",
        kind="fact",
        content=content,
        content_hash="h",
        actor="test",
        method="remember",
    )


def start(code: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *(str(item) for item in arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(processes: Sequence["subprocess.Popen[str]"]) -> list[str]:
    """Wait for all; none may have failed or complained."""
    outputs = [process.communicate() for process in processes]
    assert [error for _, error in outputs] == [""] * len(processes)
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [output for output, _ in outputs]


def contents(store: Store) -> list[str]:
    with store.read() as connection:
        rows = connection.execute(
            "select content from journal.memory_writes order by event_sequence"
        ).fetchall()
    return [str(text) for (text,) in rows]


@pytest.mark.parametrize(("processes", "writes"), [(2, 20), (8, 200)])
def test_processes_write_at_once(store: Store, processes: int, writes: int) -> None:
    finish([start(WRITER, store.folder, name, writes) for name in range(processes)])
    written = contents(store)
    assert len(written) == processes * writes
    for name in range(processes):
        own = [text for text in written if text.startswith(f"{name}-")]
        assert own == [f"{name}-{index}" for index in range(writes)]
    assert store.spool.waiting() == []


def test_readers_and_writers_take_turns(store: Store) -> None:
    readers = [start(READER, store.folder, 25) for _ in range(4)]
    writers = [start(WRITER, store.folder, name, 25) for name in range(2)]
    waits = [float(output) for output in finish(readers)]
    finish(writers)
    assert max(waits) < 10
    assert len(contents(store)) == 50


def test_a_reader_waits_for_who_holds_the_file(store: Store) -> None:
    store.append([write("a")])
    shell = start(SHELL, store.path)
    assert shell.stdout is not None
    assert shell.stdout.readline() == "open\n"
    impatient = Store(store.folder, budget=0.2)
    with pytest.raises(StoreBusy, match=f"process {shell.pid} ") as busy, impatient.read():
        pass
    assert "\n" not in str(busy.value)
    # What is written meanwhile waits in the spool, and the holder is let be.
    assert impatient.append([write("b")]) == Appended(inserted=0, spooled=1)
    assert impatient.append([write("c")], wait=False) == Appended(inserted=0, spooled=1)
    assert shell.poll() is None

    reader = start(READER, store.folder, 1)
    time.sleep(0.2)
    assert reader.poll() is None
    assert shell.stdin is not None
    shell.stdin.write("\n")
    shell.stdin.flush()
    finish([reader])
    finish([shell])
    assert store.append([write("d")]) == Appended(inserted=1, spooled=0)
    assert contents(store) == ["a", "b", "c", "d"]


def test_a_holder_that_dies_frees_the_store(store: Store) -> None:
    code = (
        "import sys, time; from ebbing.store.store import Store\n"
        "with Store(sys.argv[1]).held():\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    holder = start(code, store.folder)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StoreBusy, match=f"process {holder.pid} "), store.read(budget=0.1):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert store.append([write("a")], wait=False) == Appended(inserted=1, spooled=0)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_kill_9_loses_nothing_that_was_acknowledged(store: Store) -> None:
    chance = random.Random(7)
    acknowledged: list[str] = []
    for attempt in range(6):
        writers = [start(ENDLESS_WRITER, store.folder, f"{attempt}.{name}") for name in range(3)]
        assert writers[0].stdout is not None
        acknowledged.append(writers[0].stdout.readline().strip())
        time.sleep(chance.uniform(0.05, 0.5))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            acknowledged += writer.communicate()[0].split()
    store.append([write("last")])
    written = contents(store)
    assert set(acknowledged) <= set(written)
    assert len(written) == len(set(written))
    # At most the one that each killed writer had under way is there without having been said.
    assert len(written) - len(acknowledged) <= 6 * 3 + 1
    assert store.spool.waiting() == []
    assert len(acknowledged) > 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_does_not_keep_the_lock(store: Store) -> None:
    code = (
        "import os, sys, time; from ebbing.store.store import Store\n"
        "with Store(sys.argv[1]).held():\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "print(child, flush=True)\n"
    )
    parent = start(code, store.folder)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        assert store.append([write("a")], wait=False) == Appended(inserted=1, spooled=0)
    finally:
        os.kill(child, signal.SIGKILL)
        parent.communicate()


def test_a_plain_client_reads_what_was_written(store: Store) -> None:
    store.append([write("a")])
    with duckdb.connect(str(store.path), read_only=True) as connection:
        row = connection.execute("select content from journal.memory_writes").fetchone()
    assert row == ("a",)
