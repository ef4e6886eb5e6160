"""The short form of `make torture`: commands in any order, no build among them."""

from __future__ import annotations

from pathlib import Path

from torture.__main__ import in_any_order
from torture.bench import Tally
from torture.machine import Commands


def test_commands_in_any_order_do_what_the_model_does(built_store: Path) -> None:
    tally = Tally()
    in_any_order(built_store, tally, steps=30, seed=1)
    assert tally.losses == []
    assert tally.operations >= 30
    assert Commands.between_builds > 30
