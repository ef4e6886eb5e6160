"""A store that somebody holds takes whatever is asked of it, and checks it when it is free."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.errors import InputError
from ebbing.recall.answering import Outcome
from ebbing.store.store import Store


@contextmanager
def held(folder: Path) -> Iterator[threading.Event]:
    """The store, held by another thread until this ends, or the event is set."""
    is_held, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        with Store(folder, budget=60).held():
            is_held.set()
            is_over.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait()
    try:
        yield is_over
    finally:
        is_over.set()
        holder.join()


def fresh(folder: Path, clock: Clock) -> Memory:
    """The facade as a process has it that has not asked the store anything yet."""
    return Memory(folder, clock=clock, budget=0.05)


def live(folder: Path) -> set[str]:
    with Memory(folder).store.write() as connection:
        Memory(folder).store.fold_spool(connection)
    with Memory(folder).store.read() as connection:
        rows = connection.execute(
            "select memory_id from internal.recall_candidates where valid_to is null"
        ).fetchall()
    return {memory_id for (memory_id,) in rows}


def test_all_that_is_written_while_the_store_is_busy_is_spooled_and_counts_later(
    memory: Memory, clock: Clock
) -> None:
    folder = memory.store.folder
    attic = memory.remember("the router is in the attic", kind="skill").memory_id
    plant = memory.remember("the office plant is called Fern").memory_id
    door = memory.remember("the back door sticks").memory_id
    memory.forget(door)
    begun = memory.start_task("find the router", with_vector=False)
    rated = {begun.recalled.memories[0].memory_id: 3}
    memory.flush()
    clock.forward(minutes=1)

    with held(folder):
        told = fresh(folder, clock).remember("the spare key is under the mat")
        assert told.is_spooled
        assert not told.is_embedded
        assert "busy" in (told.note or "")
        corrected = fresh(folder, clock).correct(attic, "the router is in the cellar")
        assert corrected.is_spooled
        assert fresh(folder, clock).forget(plant).is_spooled
        assert fresh(folder, clock).restore(door).is_spooled
        assert fresh(folder, clock).pin(told.memory_id).is_spooled
        assert fresh(folder, clock).unpin(told.memory_id).is_spooled
        ended = fresh(folder, clock).end_task(begun.task_id, is_completed=True, ratings=rated)
        assert ended.is_spooled
        other = fresh(folder, clock).start_task("water the plant")
        assert other.is_spooled
        assert other.recalled.outcome is Outcome.NOT_ASKED

    assert live(folder) == {told.memory_id, corrected.memory_id, door}
    assert memory.store.spool.waiting() == []
    assert not list(memory.store.spool.folder.glob("*.rejected"))
    with memory.store.read() as connection:
        kind = connection.execute(
            "select kind from journal.memory_writes where memory_id = ?", [corrected.memory_id]
        ).fetchone()
        ratings = connection.execute("select rating from journal.ratings").fetchall()
    # The kind of what it corrects, which nobody could look up meanwhile.
    assert kind == ("skill",)
    assert ratings == [(3,)]


def test_what_the_state_rules_out_is_kept_aside_with_its_reason(
    memory: Memory, clock: Clock
) -> None:
    folder = memory.store.folder
    attic = memory.remember("the router is in the attic").memory_id
    with held(folder):
        assert fresh(folder, clock).forget("mem_0000000000000000").is_spooled
        stranger = Memory(folder, namespace="other", clock=clock, budget=0.05)
        assert stranger.forget(attic).is_spooled
        assert fresh(folder, clock).end_task("task_0", is_completed=True).is_spooled
        assert fresh(folder, clock).remember("the back door sticks").is_spooled
    assert attic in live(folder)
    assert len(live(folder)) == 2
    aside = memory.store.spool.folder.glob("*.rejected")
    assert len(list(aside)) == 3
    (finding,) = [found for found in memory.doctor() if found.subject == "rejected batches"]
    assert "there is no memory mem_0000000000000000" in finding.detail
    assert "is not a memory of namespace 'other'" in finding.detail
    assert "there is no task task_0" in finding.detail


def test_who_still_waits_when_it_is_refused_is_told_why(memory: Memory, clock: Clock) -> None:
    patient = Memory(memory.store.folder, clock=clock, budget=60)
    refused: list[InputError] = []

    def forget() -> None:
        with pytest.raises(InputError) as error:
            patient.forget("mem_0000000000000000")
        refused.append(error.value)

    asking = threading.Thread(target=forget)
    with held(memory.store.folder) as is_over:
        asking.start()
        while not memory.store.spool.waiting():
            assert asking.is_alive()
        is_over.set()
        asking.join()
    assert "there is no memory mem_0000000000000000" in str(refused[0])
    # Nobody has to look for it later.
    assert list(memory.store.spool.folder.iterdir()) == []


def test_a_request_that_was_folded_by_one_who_was_killed_counts_once(
    memory: Memory, clock: Clock
) -> None:
    begun = memory.start_task("find the router", with_vector=False)
    memory.flush()
    with held(memory.store.folder):
        fresh(memory.store.folder, clock).end_task(begun.task_id, is_completed=True)
    (waiting,) = memory.store.spool.waiting()
    content = waiting.read_bytes()
    live(memory.store.folder)
    waiting.write_bytes(content)
    live(memory.store.folder)
    assert list(memory.store.spool.folder.iterdir()) == []
