"""The demonstration: six weeks of a sample history, built into a store and asked ten questions.

`make demo` runs this. The store stays in `.demo/`, for the commands that are printed at the end.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from ebbing import Memory
from ebbing.clock import format_time
from ebbing.recall.answering import Recalled

HERE = Path(__file__).resolve().parent
STORE = HERE.parent / ".demo"

# A few days after the last session: what was said early has had time to fade.
NOW = datetime(2025, 7, 18, 9, 0, 0)
PAST = datetime(2025, 6, 10, 20, 0, 0)


def main() -> None:
    """Build the store, print what it recalls, and say where to look next."""
    shutil.rmtree(STORE, ignore_errors=True)
    say("Making a store, and building the dbt project in it")
    Memory.create(STORE, clock=lambda: NOW)
    memory = Memory(STORE, clock=lambda: NOW)

    say("Reading the sample history, demo/history.jsonl")
    read = memory.ingest([HERE / "history.jsonl"])
    done = memory.maintain()
    print(f"{read.added} messages read, {done.embedded} texts embedded, {done.nodes} models built")

    say(f"Recall, as of {format_time(NOW)}; compare with the history")
    for hint, query in questions():
        print(f"\n? {query}\n  ({hint})")
        show(memory.recall(query, top_k=3))

    say(f"The same store, asked as of {format_time(PAST)}")
    for query in ("what is the router IP", "what does the user like to drink", "我住在哪里"):
        print(f"\n? {query}")
        show(memory.recall(query, top_k=1, as_of=PAST))

    say("An unrelated question recalls nothing")
    unrelated = "how tall is the Eiffel Tower"
    print(f"? {unrelated}\n  {memory.recall(unrelated).outcome}")

    say("Why the router's address is what it is")
    address = memory.recall("what is the router IP", top_k=1, is_logged=False).memories[0]
    run("history", address.memory_id)
    memory.maintain()
    run("why", address.memory_id, "--as-of", format_time(NOW))
    say("Look further")
    print(
        f"  export EBBING_HOME={STORE}\n"
        "  ebbing status\n"
        "  ebbing recall 'what is the router IP' --as-of 2025-06-10T20:00:00Z\n"
        "  ebbing context 'deploying the tile server' --budget 300\n"
        "  dbt show --inline 'select * from forgotten_memories'"
    )


def questions() -> list[tuple[str, str]]:
    """Each query of queries.txt with the comment above it, which says what to look for."""
    found: list[tuple[str, str]] = []
    hint = ""
    for line in (HERE / "queries.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            hint = line.lstrip("# ")
        elif line.strip():
            found.append((hint, line.strip()))
    return found


def show(answer: Recalled) -> None:
    """Print an answer, a line for each memory."""
    for memory in answer.memories:
        print(
            f"  {memory.score:.2f}  {format_time(memory.created_at)[:10]}  "
            f"strength {memory.strength:.2f}  {memory.content}"
        )
    if not answer.memories:
        print(f"  {answer.outcome}")


def say(heading: str) -> None:
    """Print a heading."""
    print(f"\n== {heading}", flush=True)


def run(*arguments: str) -> None:
    """Run a command of ebbing on the store of the demonstration."""
    print(f"$ ebbing {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "ebbing", *arguments, "--store", str(STORE)], check=True)


if __name__ == "__main__":
    main()
