"""For tests of remotes: replicas with one shared journal, and what of them must agree."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from ebbing import Memory
from ebbing.journal import Embedding
from ebbing.remote.protocol import SHARED
from ebbing.rows import fetch

_INCIDENTAL = {Embedding: "event_sequence, event_id, recorded_at"}


def replicas(
    built_store: Path, folder: Path, url: str, count: int, *, clock: Callable[[], datetime]
) -> list[Memory]:
    """Copies of a built store that share a remote."""
    found = []
    for number in range(count):
        place = folder / f"replica-{number}"
        shutil.copytree(built_store, place)
        memory = Memory(place, clock=clock)
        memory.add_remote(url)
        found.append(memory)
    return found


def journal_rows(memory: Memory) -> dict[str, list[str]]:
    """Every event that machines share, exactly, but for its place in this journal.

    Of vectors the numbers count: two machines that embed one text keep one each, and the same.
    """
    memory.flush()
    with memory.store.write() as connection:
        memory.store.fold_spool(connection)
        return {
            kind.table: sorted(
                repr(row)
                for row in fetch(
                    connection,
                    f"select * exclude ({_INCIDENTAL.get(kind, 'event_sequence')})"
                    f" from journal.{kind.table}",
                )
            )
            for kind in SHARED
        }


def exchange(memories: Sequence[Memory]) -> None:
    """Sync all, so that each has what any of them had."""
    for _ in range(2):
        for memory in memories:
            memory.sync()
