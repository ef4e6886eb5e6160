"""How recalls and writes fare while a store is maintained.

    python -m benchmarks.maintenance_latency [--memories N] [--readers N] [--writers N]

Fills a store, then asks from other processes: alone, beside writers, and beside writers while
`ebbing maintain` runs as a process of its own. Prints counts, the waiting times as ratios to those
of the idle store, and how much of them was waiting for the lock and how much the processor's work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ebbing import Memory
from ebbing.cli.output import table
from ebbing.errors import StoreBusy
from ebbing.journal.writing import write_event
from ebbing.store.lock import StoreLock

_NAME = "benchmarks.maintenance_latency"
READER = "reader"
WRITER = "writer"


def main() -> None:
    """Measure, or be one of the processes that are measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--readers", type=int, default=1)
    options.add_argument("--writers", type=int, default=8)
    options.add_argument("--seconds", type=float, default=20, help="of what is not maintenance")
    options.add_argument("--role", choices=[READER, WRITER], help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.role == READER:
        print(json.dumps(ask_until_told(given.folder)))
    elif given.role == WRITER:
        print(json.dumps(write_until_told(given.folder)))
    else:
        with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
            measure(Path(scratch) / "store", given)


def measure(folder: Path, given: argparse.Namespace) -> None:
    """Fill a store, and print what it did idle and under maintenance."""
    memory = Memory.create(folder, model="hashing:64")
    fill(memory, given.memories)
    memory.maintain()
    maintain = [sys.executable, "-m", "ebbing", "maintain", "--store", str(folder)]
    rest = ["sleep", str(given.seconds)]
    idle = phase(folder, given.readers, 0, rest)
    beside = phase(folder, given.readers, given.writers, rest)
    memory.maintain()
    memory.remember("one more, so that there is something to build")
    maintained = phase(folder, given.readers, given.writers, maintain)
    with memory.store.write() as connection:
        memory.store.fold_spool(connection)
        (kept,) = connection.execute(
            "select count(*) from journal.memory_writes where actor = 'bench'"
        ).fetchone() or (0,)
    print(f"maintain of {given.memories:,} memories: {maintained.seconds:.1f} s")
    print(
        f"recalls meanwhile: {len(maintained.recalls)}, refused: {maintained.refused}, "
        f"empty: {maintained.empty}"
    )
    written = beside.written + maintained.written
    print(f"writes: {written} acknowledged, {kept} kept, refused: {maintained.writes_refused}")
    print(
        table(
            ("beside", "p50", "p99", "p99 / idle", "p99 for the lock", "p99 of processor time"),
            (
                (
                    name,
                    *(f"{1_000 * value:.0f} ms" for value in (one.at(0.5), one.at(0.99))),
                    one.at(0.99) / idle.at(0.99),
                    *(f"{1_000 * one.at(0.99, part):.0f} ms" for part in (1, 2)),
                )
                for name, one in (
                    ("nothing", idle),
                    (f"{given.writers} writers", beside),
                    (f"{given.writers} writers and maintenance", maintained),
                )
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class Phase:
    """What was asked and written while something ran.

    A recall is its seconds in all, those of waiting for the lock, and those of processor time.
    """

    seconds: float
    recalls: list[tuple[float, float, float]]
    refused: int
    empty: int
    written: int
    writes_refused: int

    def at(self, share: float, part: int = 0) -> float:
        """Return the value below which a share of the recalls lies."""
        ordered = sorted(recall[part] for recall in self.recalls)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def phase(folder: Path, readers: int, writers: int, command: list[str]) -> Phase:
    """Ask and write as long as a command runs."""
    stop = folder.parent / "stop"
    stop.unlink(missing_ok=True)
    asking = [start(READER, folder) for _ in range(readers)]
    writing = [start(WRITER, folder) for _ in range(writers)]
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - started
    stop.touch()
    asked = [json.loads(each.communicate()[0]) for each in asking]
    wrote = [json.loads(each.communicate()[0]) for each in writing]
    return Phase(
        took,
        [tuple(recall) for each in asked for recall in each["recalls"]],
        sum(each["refused"] for each in asked),
        sum(each["empty"] for each in asked),
        sum(each["acknowledged"] for each in wrote),
        sum(each["refused"] for each in wrote),
    )


def fill(memory: Memory, count: int) -> None:
    """Write memories in batches, with their vectors."""
    now = memory.now()
    for start_ in range(0, count, 1_000):
        writes = [
            write_event(
                f"machine {number} in room {number % 97} answers on port {1000 + number % 60_000}",
                namespace="default",
                kind="fact",
                actor="fill",
                method="remembered",
                at=now,
                recorded_at=now,
            )[0]
            for number in range(start_, min(start_ + 1_000, count))
        ]
        memory.store.append([*writes, *memory.vectors_for(writes)])


def start(role: str, folder: Path) -> subprocess.Popen[str]:
    """Start a process of this script."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "benchmarks.maintenance_latency",
            "--role",
            role,
            "--folder",
            str(folder),
        ],
        cwd=Path(__file__).resolve().parents[1],
        stdout=subprocess.PIPE,
        text=True,
    )


def ask_until_told(folder: Path) -> dict[str, object]:
    """Ask until what runs beside is over; the first recall, which loads the model, is not timed."""
    memory = Memory(folder)
    recalls, refused, empty = [], 0, 0
    waits = _timed_locks()
    memory.recall("which port does a machine answer on", is_logged=False)
    while not (folder.parent / "stop").exists():
        waits.clear()
        started, worked = time.perf_counter(), time.process_time()
        try:
            found = memory.recall(
                f"which port does machine {len(recalls)} answer on", is_logged=False
            )
        except StoreBusy:
            refused += 1
            continue
        took, work = time.perf_counter() - started, time.process_time() - worked
        recalls.append((took, sum(waits), work))
        empty += not found.memories
    return {"recalls": recalls, "refused": refused, "empty": empty}


def _timed_locks() -> list[float]:
    """Note from now on how long this process waits for locks."""
    waits: list[float] = []
    acquire = StoreLock.acquire

    def timed(lock: StoreLock, *arguments: Any, **options: Any) -> bool:
        started = time.perf_counter()
        try:
            return acquire(lock, *arguments, **options)
        finally:
            waits.append(time.perf_counter() - started)

    StoreLock.acquire = timed  # type: ignore[method-assign]
    return waits


def write_until_told(folder: Path) -> dict[str, int]:
    """Write until the maintenance is over, as an agent does: not without a pause."""
    memory = Memory(folder, actor="bench")
    acknowledged = refused = 0
    while not (folder.parent / "stop").exists():
        try:
            memory.remember(f"process {os.getpid()} has written {acknowledged} memories")
            acknowledged += 1
        except StoreBusy:
            refused += 1
        time.sleep(0.5)
    return {"acknowledged": acknowledged, "refused": refused}


if __name__ == "__main__":
    main()
