"""Blows from outside: kills, interrupts, disks that fill up, programs that hold the file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from store_harness import dbt_command
from torture.bench import READER, WRITER, Bench, Tally, commands, faults, run_command, started

# As a DuckDB shell does it: without the advisory lock.
HOLDER = """
import duckdb, sys, time
for pause in map(float, sys.argv[2:]):
    try:
        with duckdb.connect(sys.argv[1]) as connection:
            connection.execute("select count(*) from journal.memory_writes").fetchall()
            time.sleep(pause)
    except duckdb.Error:
        pass
    time.sleep(pause)
"""

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def kills(bench: Bench, tally: Tally, seed: str) -> None:
    """Kill a command with -9 at any moment, a writer beside it."""
    choice = random.Random(seed)
    with bench.copy() as folder:
        arguments = commands(folder, choice)
        writer = started(WRITER, folder, "Ann", 8)
        struck = run_command(folder, arguments)
        code, _ = _struck(struck, signal.SIGKILL, choice)
        said, reason = writer.communicate()
        acknowledged = said.splitlines()
        tally.rounds += 1
        tally.operations += 1 + len(acknowledged)
        if writer.returncode:
            tally.lose(seed, f"beside {arguments[0]}: {reason}")
        found = _found(folder, arguments, code, acknowledged)
        if choice.random() < 0.1:
            done = dbt_command(folder, "test", "--quiet")
            found += [done.stdout] if done.returncode else []
        for fault in found:
            tally.lose(seed, f"kill -9 in {arguments[0]}: {fault}")


def interrupts(bench: Bench, tally: Tally, seed: str) -> None:
    """Interrupt a command at any moment: one line, its code, nothing half."""
    choice = random.Random(seed)
    with bench.copy() as folder:
        arguments, by = commands(folder, choice), choice.choice([*CODES])
        code, reason = _struck(run_command(folder, arguments), by, choice)
        tally.rounds += 1
        tally.operations += 1
        lines = [line for line in reason.splitlines() if line.strip()]
        # Before Python runs a line of ours, the system's own word ends it.
        is_early = code == -by and not lines
        if not is_early and code not in (0, CODES[by]):
            tally.lose(seed, f"{by.name} in {arguments[0]}: exit {code}: {reason}")
        if "Traceback" in reason or (code and len(lines) > 1):
            tally.lose(seed, f"{by.name} in {arguments[0]}: {reason}")
        for fault in _found(folder, arguments, code, []):
            tally.lose(seed, f"{by.name} in {arguments[0]}: {fault}")


def full_disks(bench: Bench, tally: Tally, seed: str) -> None:
    """Let the disk fill up at any place of any command, then free it."""
    choice = random.Random(seed)
    with _small_disk() as disk:
        if disk is None:
            return
        with bench.copy(disk) as folder:
            arguments = commands(folder, choice)
            used = sum(file.stat().st_size for file in disk.rglob("*") if file.is_file())
            _resize(disk, used + choice.randrange(4_096, 12_000_000))
            struck = run_command(folder, arguments)
            writer = started(WRITER, folder, "Ann", 8)
            said, _ = writer.communicate()
            _, reason = struck.communicate()
            acknowledged = said.splitlines()
            tally.rounds += 1
            tally.operations += 1 + len(acknowledged)
            if "Traceback" in reason or "should not happen" in reason:
                tally.lose(seed, f"a full disk in {arguments[0]}: {reason}")
            _resize(disk, 400_000_000)
            for fault in _found(folder, arguments, struck.returncode, acknowledged):
                tally.lose(seed, f"a full disk in {arguments[0]}: {fault}")


def holders(bench: Bench, tally: Tally, seed: str) -> None:
    """Let a program that knows of no lock hold the file again and again, readers and writers by."""
    choice = random.Random(seed)
    with bench.copy() as folder:
        pauses = [round(choice.uniform(0.05, 0.8), 2) for _ in range(8)]
        holder = started(HOLDER, folder / "memory.duckdb", *pauses)
        _soaked(folder, tally, seed, writers=2, readers=1, number=15)
        holder.communicate()
        tally.rounds += 1


def soaks(bench: Bench, tally: Tally, seed: str) -> None:
    """Write and read in many processes beside maintenance."""
    with bench.copy() as folder:
        maintenance = run_command(folder, ["maintain"])
        _soaked(folder, tally, seed, writers=3, readers=3, number=40)
        _, reason = maintenance.communicate()
        if maintenance.returncode:
            tally.lose(seed, reason)
        tally.rounds += 1


BLOWS: dict[str, Callable[[Bench, Tally, str], None]] = {
    "kills": kills,
    "interrupts": interrupts,
    "full disks": full_disks,
    "foreign holders": holders,
    "soak": soaks,
}


def _struck(
    process: subprocess.Popen[str], by: signal.Signals, choice: random.Random
) -> tuple[int, str]:
    """Strike a command once, some time between its first moment and its end."""
    # Most of what can go wrong goes wrong while a build runs, some while Python still loads.
    until = time.monotonic() + choice.choice([choice.uniform(0.3, 1.5), choice.uniform(1.5, 25)])
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    if process.poll() is None:
        process.send_signal(by)
    _, reason = process.communicate()
    return process.returncode, reason


def _found(folder: Path, arguments: list[str], code: int, acknowledged: list[str]) -> list[str]:
    is_asked = arguments[0] == "erase"
    if is_asked and code != 0:
        # It is finished or was never begun: both are right, what lies between is not.
        return min(
            (faults(folder, acknowledged, is_erased=either) for either in (False, True)), key=len
        )
    return faults(folder, acknowledged, is_erased=is_asked)


def _soaked(
    folder: Path, tally: Tally, seed: str, *, writers: int, readers: int, number: int
) -> None:
    names = ("Ann", "Bob", "Cem", "Dao")[:writers]
    writing = [started(WRITER, folder, name, number) for name in names]
    reading = [started(READER, folder, "x", number) for _ in range(readers)]
    acknowledged: list[str] = []
    for process in writing:
        said, reason = process.communicate()
        acknowledged += said.splitlines()
        if process.returncode:
            tally.lose(seed, reason)
    for process in reading:
        said, reason = process.communicate()
        tally.operations += len(said.splitlines())
        tally.busy += said.count("busy")
        if process.returncode:
            tally.lose(seed, reason)
    tally.operations += len(acknowledged)
    for fault in faults(folder, acknowledged, is_erased=False):
        tally.lose(seed, fault)


@contextmanager
def _small_disk() -> Iterator[Path | None]:
    with tempfile.TemporaryDirectory(prefix="ebbing-disk-") as folder:
        if sys.platform != "linux" or os.geteuid() != 0:
            yield None
            return
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", folder], check=False
        )
        if mounted.returncode:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def _resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
