"""A run compares what is new, and nothing that an earlier one has compared."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from conftest import START
from ebbing import Memory
from ebbing.embedding.model import embed
from ebbing.embedding.registry import get_embedder
from ebbing.journal import MemoryWrite, ids
from ebbing.maintenance.dbt import Dbt
from ebbing.rows import fetch

_COMPARED = """
    select pairs.earlier_id, pairs.later_id
    from internal.int_memory_pairs as pairs
    inner join internal.last_build as build on pairs.compared_in_build = build.build_number
"""
_CLASSES = "select pair_id, similarity, pair_class, reason from internal.int_memory_pairs"


def import_at_once(memory: Memory, texts: Iterable[str], *, day: int) -> set[str]:
    """Write texts and their vectors, as an import does, and return their ids."""
    at = START + timedelta(days=day)
    pairs = [(ids.content_hash(text), text) for text in texts]
    writes = [
        MemoryWrite(
            memory_id=ids.memory_id("default", text),
            namespace="default",
            kind="fact",
            content=text,
            content_hash=content_hash,
            actor="test",
            method="imported",
            occurred_at=at + timedelta(seconds=place),
            recorded_at=at,
        )
        for place, (content_hash, text) in enumerate(pairs)
    ]
    memory.store.append([*writes, *embed(get_embedder("hashing:64"), pairs).events])
    return {write.memory_id for write in writes}


class Runs:
    """Runs of dbt on one store."""

    def __init__(self, memory: Memory) -> None:
        self._store = memory.store
        self._dbt = Dbt(memory.store.folder)

    def compared(self) -> set[tuple[str, str]]:
        """Run dbt, and return the pairs that this run has compared."""
        with self._store.held():
            self._dbt.refresh()
        with self._store.read() as connection:
            return {(row[0], row[1]) for row in fetch(connection, _COMPARED)}

    def classes(self, *, full_refresh: bool = False) -> list[tuple[object, ...]]:
        """Return what is known of all pairs, after a full refresh if asked for."""
        if full_refresh:
            with self._store.held():
                self._dbt.build(full_refresh=True)
        with self._store.read() as connection:
            return sorted(fetch(connection, _CLASSES))


def ports(services: range) -> list[str]:
    """Ten texts for each service, which are alike but for one value."""
    return [f"The port of service {n} is {8_000 + 10 * n + k}" for n in services for k in range(10)]


def test_an_empty_run_compares_none_and_a_hundred_more_in_proportion(memory: Memory) -> None:
    runs = Runs(memory)
    import_at_once(memory, ports(range(20)), day=1)
    first = runs.compared()
    assert first
    assert runs.compared() == set()

    added = import_at_once(memory, ports(range(20, 30)), day=2)
    compared = runs.compared()
    assert all(earlier in added or later in added for earlier, later in compared)
    assert 2 * len(compared) == len(first)
    assert runs.compared() == set()


def test_what_makes_no_pair_is_compared_once_too(memory: Memory) -> None:
    runs = Runs(memory)
    import_at_once(memory, ports(range(4)), day=1)
    assert runs.compared()
    import_at_once(memory, ["The office plant is called Fern", "我对花生过敏"], day=2)
    assert runs.compared() == set()
    assert runs.compared() == set()

    added = import_at_once(memory, ["The port of service 3 is 9000"], day=3)
    compared = runs.compared()
    assert len(compared) == 10
    assert all(earlier in added or later in added for earlier, later in compared)


def test_a_full_refresh_compares_the_same_pairs_with_the_same_outcome(memory: Memory) -> None:
    runs = Runs(memory)
    for day in range(3):
        import_at_once(memory, ports(range(2 * day, 2 * day + 2)), day=day)
        assert runs.compared()

    before = runs.classes()
    assert runs.classes(full_refresh=True) == before
