"""Waiting for others no longer than there is time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ebbing.errors import RemoteAway

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T], *, give_up: Callable[[], None], what: str) -> T:
    """Return what a call returns, or raise `RemoteAway` once the seconds are over.

    A network may hang where no time-out of its own counts, so the call has a thread, which is left
    behind; `give_up` is to end what it waits for.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="ebbing-remote", daemon=True)
    thread.start()
    thread.join(max(seconds, 0.0))
    if failure:
        raise failure[0]
    if outcome:
        return outcome[0]
    give_up()
    raise RemoteAway(
        f"{what} has not answered for {seconds:.1f} s; what is written waits in the store and goes "
        "out by itself; see that the network is up"
    )
