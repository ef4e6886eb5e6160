"""`python -m torture`: every kind of blow for some rounds, then any order of commands."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

os.environ["EBBING_TESTING"] = "1"

from hypothesis import HealthCheck, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test

from torture.bench import Bench, Tally
from torture.blows import BLOWS
from torture.machine import Commands


def main() -> int:
    """Print rounds, operations, busy answers and losses of each kind; 1 where anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="rounds of each kind of blow")
    parser.add_argument("--steps", type=int, default=2_000, help="steps of commands in any order")
    parser.add_argument("--seed", help="what to repeat: the seed that a failure names")
    parser.add_argument("--only", choices=[*BLOWS, "commands"], help="one kind alone")
    given = parser.parse_args()
    seed = given.seed or f"{random.randrange(10**9)}"
    lost = 0
    with Bench.made() as bench:
        for kind, blow in BLOWS.items():
            if given.only not in (None, kind):
                continue
            tally, begun = Tally(), time.monotonic()
            # The seed of a failure names one round.
            is_one = "." in seed
            for number in range(1 if is_one else given.rounds):
                blow(bench, tally, seed if is_one else f"{seed}.{number}")
            lost += _report(kind, tally, begun)
        if given.only in (None, "commands"):
            tally, begun = Tally(), time.monotonic()
            in_any_order(bench.empty, tally, given.steps, int(seed.partition(".")[0]))
            lost += _report("commands in any order", tally, begun)
    return 1 if lost else 0


def in_any_order(empty: Path, tally: Tally, steps: int, seed: int) -> None:
    """Run commands in any order for about so many steps."""
    Commands.empty, Commands.steps = empty, 0
    each = min(steps, 250)
    while Commands.steps < steps and not tally.losses:
        run = settings(
            max_examples=1,
            stateful_step_count=each,
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=[*HealthCheck],
        )
        try:
            run_state_machine_as_test(seeded(seed + tally.rounds)(Commands), settings=run)
        except Exception as error:
            tally.lose(
                seed + tally.rounds, "\n".join([repr(error), *getattr(error, "__notes__", [])])
            )
        tally.rounds += 1
    tally.operations = Commands.steps


def _report(kind: str, tally: Tally, begun: float) -> int:
    print(f"{kind}: {tally} ({time.monotonic() - begun:.0f} s)", flush=True)
    for loss in tally.losses:
        print(f"  {loss}", flush=True)
    return len(tally.losses)


if __name__ == "__main__":
    sys.exit(main())
