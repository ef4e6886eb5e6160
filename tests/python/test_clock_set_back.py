"""A clock that was set back undoes nothing, and nothing is said that is not so."""

from __future__ import annotations

from conftest import Clock
from ebbing import Memory


def test_what_is_forgotten_an_hour_earlier_is_forgotten(memory: Memory, clock: Clock) -> None:
    memory_id = memory.remember("The attic is dry").memory_id
    memory.maintain()
    clock.forward(hours=-1)
    memory.forget(memory_id)
    assert memory.recall("attic dry", is_logged=False).memories == ()
    memory.maintain()
    assert memory.recall("attic dry", is_logged=False).memories == ()
    clock.forward(days=1)
    assert memory.recall("attic dry", is_logged=False).memories == ()

    # The last word counts, though each was said an hour before the one that it takes back.
    for call in (memory.restore, memory.forget, memory.restore):
        clock.forward(hours=-1)
        call(memory_id)
    clock.forward(days=1)
    assert memory.recall("attic dry", is_logged=False).memories
