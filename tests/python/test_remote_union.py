"""A union of journals is a correct merge: replicas agree row by row, whatever happened before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.errors import InputError
from remote_harness import exchange, journal_rows, replicas
from store_harness import assert_same_rows, public_rows

TEXTS = [
    "The deploy key is on the blue stick",
    "Deploys happen on Tuesday",
    "Deploys happen on Thursday",
    "The user lives in Lisbon",
    "The user lives in Porto",
    "The user prefers tabs over spaces",
    "The printer is in room 12",
    "The printer is in room 14",
]


def act(memory: Memory, chance: random.Random, known: dict[str, str]) -> None:
    """Do one of the things that two machines may do to one memory at once."""
    name = chance.choice(sorted(known)) if known else None
    match chance.randrange(8):
        case 0 | 1 | 2:
            text = chance.choice(TEXTS)
            known[memory.remember(text, with_vector=chance.random() < 0.5).memory_id] = text
        case 3 if name:
            memory.forget(name)
        case 4 if name:
            memory.restore(name)
        case 5 if name:
            memory.pin(name) if chance.random() < 0.5 else memory.unpin(name)
        case 6 if name:
            corrected = memory.correct(name, chance.choice(TEXTS))
            known[corrected.memory_id] = ""
        case 7:
            task = memory.start_task(chance.choice(TEXTS), with_vector=False)
            memory.flush()
            memory.end_task(
                task.task_id,
                is_completed=chance.random() < 0.7,
                ratings={hit.memory_id: chance.randrange(4) for hit in task.recalled.memories[:2]},
            )


def interleaved(stores: list[Memory], clock: Clock, *, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    known: list[dict[str, str]] = [{} for _ in stores]
    for _ in range(steps):
        place = chance.randrange(len(stores))
        # Clocks of machines differ, and the same moment is two machines'.
        clock.forward(minutes=chance.choice([0, 0, 1, 600]))
        if chance.random() < 0.2:
            stores[place].sync()
        try:
            act(stores[place], chance, known[place])
        except InputError:
            # Such as forgetting what was corrected elsewhere: refused here, and nothing happened.
            continue


def settle(stores: list[Memory]) -> None:
    """Exchange all; vectors that maintenance makes are each store's own until the next sync."""
    exchange(stores)
    first, *others = [journal_rows(memory) for memory in stores]
    for rows in others:
        assert_same_rows(rows, first)


def check(built_store: Path, folder: Path, clock: Clock, *, count: int, seed: int) -> None:
    shared = folder / "shared"
    stores = replicas(built_store, folder, shared.as_uri(), count, clock=clock)
    interleaved(stores, clock, seed=seed, steps=10 * count)
    settle(stores)
    clock.forward(hours=1)
    for memory in stores:
        memory.maintain()
    first, *others = [public_rows(memory.store.folder) for memory in stores]
    for rows in others:
        assert_same_rows(rows, first)


def test_two_stores_agree_after_both_have_synced(
    built_store: Path, tmp_path: Path, clock: Clock
) -> None:
    check(built_store, tmp_path, clock, count=2, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_three_stores_agree_after_all_have_synced(
    built_store: Path, tmp_path: Path, clock: Clock, seed: int
) -> None:
    check(built_store, tmp_path, clock, count=3, seed=seed)
