"""How recalls and writes fare while a store is maintained.

    python -m benchmarks.maintenance_latency [--memories N] [--readers N] [--writers N]

Fills a store, then asks and writes from other processes, first alone and then beside `maintain`.
Prints counts, and the waiting times as ratios to those of the idle store.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ebbing import Memory
from ebbing.errors import StoreBusy
from ebbing.journal.writing import write_event

_NAME = "benchmarks.maintenance_latency"
READER = "reader"
WRITER = "writer"


def main() -> None:
    """Measure, or be one of the processes that are measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--readers", type=int, default=1)
    options.add_argument("--writers", type=int, default=8)
    options.add_argument("--idle-recalls", type=int, default=60)
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
    memory.remember("one more, so that there is something to build")
    idle = sorted(timed_recall(memory, number)[0] for number in range(given.idle_recalls))
    stop = folder.parent / "stop"
    readers = [start(READER, folder) for _ in range(given.readers)]
    writers = [start(WRITER, folder) for _ in range(given.writers)]
    started = time.monotonic()
    memory.maintain()
    took = time.monotonic() - started
    stop.touch()
    asked = [json.loads(each.communicate()[0]) for each in readers]
    wrote = [json.loads(each.communicate()[0]) for each in writers]
    with memory.store.write() as connection:
        memory.store.fold_spool(connection)
        (kept,) = connection.execute(
            "select count(*) from journal.memory_writes where actor = 'bench'"
        ).fetchone() or (0,)
    busy = sorted(second for each in asked for second in each["seconds"])
    written = sum(each["acknowledged"] for each in wrote)
    print(f"maintain of {given.memories:,} memories: {took:.1f} s")
    print(
        f"recalls meanwhile: {len(busy)}, refused: {sum(each['refused'] for each in asked)}, "
        f"empty: {sum(each['empty'] for each in asked)}"
    )
    print(
        f"writes meanwhile: {written} acknowledged, {kept} kept, "
        f"refused: {sum(each['refused'] for each in wrote)}"
    )
    for name, share in (("p50", 0.50), ("p99", 0.99)):
        print(
            f"recall {name}: {at(busy, share) / at(idle, share):.1f} times idle "
            f"({at(idle, share) * 1000:.0f} ms)"
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


def timed_recall(memory: Memory, number: int) -> tuple[float, int]:
    """Ask one question; return how long it took, in seconds, and how many were found."""
    started = time.perf_counter()
    found = memory.recall(f"which port does machine {number} answer on", is_logged=False)
    return time.perf_counter() - started, len(found.memories)


def ask_until_told(folder: Path) -> dict[str, object]:
    """Ask until the maintenance is over."""
    memory = Memory(folder)
    seconds, refused, empty = [], 0, 0
    while not (folder.parent / "stop").exists():
        try:
            took, found = timed_recall(memory, len(seconds))
            seconds.append(took)
            empty += not found
        except StoreBusy:
            refused += 1
    return {"seconds": seconds, "refused": refused, "empty": empty}


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


def at(ordered: list[float], share: float) -> float:
    """Return the value below which a share of the ordered values lies."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


if __name__ == "__main__":
    main()
