"""A store to be tortured: made once, copied for each round, looked at afterwards."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ebbing import Memory
from ebbing.rows import fetch

SECRET = "The spare key hangs behind the blue door"

# Says what is acknowledged, once it is.
WRITER = """
import sys
from ebbing import Memory
memory = Memory(sys.argv[1], budget=0.5)
for number in range(int(sys.argv[3])):
    text = f"{sys.argv[2]} puts the box {number} on its shelf"
    memory.remember(text, with_vector=False)
    print(text, flush=True)
"""

READER = """
import sys
from ebbing import Memory
from ebbing.errors import StoreBusy
memory = Memory(sys.argv[1], budget=5)
for number in range(int(sys.argv[3])):
    try:
        memory.recall("where is the box", is_logged=number % 2 == 0)
        print("answered", flush=True)
    except StoreBusy:
        print("busy", flush=True)
memory.flush()
"""


@dataclass(slots=True)
class Tally:
    """What was done to stores of one kind, and what it cost them."""

    rounds: int = 0
    operations: int = 0
    busy: int = 0
    losses: list[str] = field(default_factory=list)

    def lose(self, seed: object, what: object) -> None:
        """Note something that did not hold, with the seed that brings it back."""
        self.losses.append(f"seed {seed}: {' '.join(str(what).split())[:600]}")

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.operations} operations, {self.busy} busy answers, "
            f"{len(self.losses)} losses"
        )


class Bench:
    """Copies of one store, each in a folder that goes with its round."""

    def __init__(self, empty: Path, base: Path) -> None:
        """Take an empty store and one that holds something, both built; `made` makes them."""
        self.empty = empty
        self.base = base

    @classmethod
    @contextmanager
    def made(cls) -> Iterator[Bench]:
        """Make the store, with memories, messages and something to erase."""
        with tempfile.TemporaryDirectory(prefix="ebbing-torture-") as root:
            empty, folder = Path(root) / "empty", Path(root) / "base"
            memory = Memory.create(empty, model="hashing:32")
            shutil.copytree(empty, folder)
            memory = Memory(folder)
            memory.remember(SECRET)
            memory.remember("The bicycle is painted turquoise")
            log = folder.with_name("talk.jsonl")
            log.write_text(
                "".join(
                    json.dumps({"session_id": "talk", "role": "user", "content": text}) + "\n"
                    for text in ("My name is Lin and I live in Leeds.", f"{SECRET}. Good.")
                )
            )
            memory.ingest([log])
            memory.maintain()
            memory.export(folder.with_name("export.jsonl"))
            yield cls(empty, folder)

    @contextmanager
    def copy(self, within: Path | None = None) -> Iterator[Path]:
        """Yield a copy of the store."""
        with tempfile.TemporaryDirectory(prefix="ebbing-round-", dir=within) as root:
            shutil.copytree(self.base, Path(root) / "store")
            for name in ("talk.jsonl", "export.jsonl"):
                shutil.copy(self.base.with_name(name), root)
            yield Path(root) / "store"


def commands(folder: Path, choice: random.Random) -> list[str]:
    """Return a command that does something to the store in a folder."""
    memory = Memory(folder)
    near = folder.parent
    erased = memory.recall(SECRET, is_logged=False, with_vector=False).memories[0].memory_id
    more = near / "more.jsonl"
    said = {"session_id": "more", "role": "user", "content": "I prefer tabs over spaces."}
    more.write_text(json.dumps(said) + "\n")
    return choice.choice(
        [
            ["init"],
            ["ingest", str(more)],
            ["remember", "The router is in the attic"],
            ["maintain"],
            ["reembed", "--model", "hashing:16"],
            ["import", str(near / "export.jsonl")],
            ["export", str(near / "again.jsonl")],
            ["export", "--format", "parquet", str(near / "again")],
            ["erase", erased, "--yes"],
            ["backup", str(near / "kept")],
            ["recall", "where is the key"],
            ["purge"],
        ]
    )


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a Python program that prints what is acknowledged."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_command(folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    """Start a command as a user does, in a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ebbing", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "EBBING_HOME": str(folder)},
    )


def faults(folder: Path, acknowledged: list[str], *, is_erased: bool) -> list[str]:
    """Look a store over after a blow: it heals, and holds all that was acknowledged."""
    found: list[str] = []
    try:
        memory = Memory(folder)
        memory.maintain()
        with memory.store.read() as connection:
            rows = fetch(connection, "select content from long_term_memory")
            held = {row[0] for row in rows}
            written = {
                row[0] for row in fetch(connection, "select content from journal.memory_writes")
            }
        found += [f"lost: {text}" for text in acknowledged if text not in written]
        if not is_erased and SECRET not in held:
            found.append("lost what was there before")
        if is_erased and any(SECRET in text for text in held):
            found.append("an erased text came back")
        for text in ("The bicycle is painted turquoise", "User lives in Leeds"):
            if text not in held:
                found.append(f"lost: {text}")
        if not memory.recall("what colour is the bicycle", is_logged=False).memories:
            found.append("recall finds nothing")
        if (folder / "work").exists() or (folder / "erasing.json").exists():
            found.append("something half is left")
        found += [
            f"doctor: {one.subject}: {one.detail}" for one in memory.doctor() if not one.is_well
        ]
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")
    return found
