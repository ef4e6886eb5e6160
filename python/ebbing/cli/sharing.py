"""Commands that share a journal between machines: remote, sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ebbing.cli.command import command, listed
from ebbing.cli.output import note

if TYPE_CHECKING:
    from ebbing.memory import Memory
    from ebbing.remote.sync import Synced


@click.group()
def remote() -> None:
    """Share the journal with other machines, through Postgres or a shared folder."""


def _exchanged(done: tuple[Synced, ...]) -> str:
    return "\n".join(
        f"{one.remote}: {one.received} events received, {one.sent} sent" for one in done
    )


def _say_more(done: tuple[Synced, ...], *, is_first: bool = False) -> None:
    for one in done:
        if one.is_whole and not is_first:
            note(
                f"{one.remote} is not what it was at the last time (restored, exchanged, other "
                "rights, or read by another version): all of it was read again"
            )
        if one.erased:
            note(f"{one.erased} memories were erased elsewhere, and are gone here too")
        for reason in one.refused:
            note(f"an event from {one.remote} was refused: {reason}")
        if one.unreadable:
            note(
                f"{one.unreadable} events at {one.remote} were written by a newer version; they "
                "stay there; upgrade: pip install --upgrade ebbing"
            )
        for problem in one.problems:
            note(problem)


@command(shown=lambda done: _exchanged((done,)), is_scoped=False, group=remote)
@click.argument("url")
def add(memory: Memory, url: str) -> object:
    """Add a remote, and exchange with it what both have.

    URL is postgresql://HOST/DATABASE (`pip install 'ebbing[postgres]'`) or file:///FOLDER. A
    password belongs in PGPASSWORD or ~/.pgpass, and never in the URL.
    """
    done = memory.add_remote(url)
    _say_more((done,), is_first=True)
    return done


@command(
    "list",
    shown=listed(
        {
            "remote": "url",
            "exchanged": "exchanged_at",
            "to send": "is_behind",
        },
        empty="The store has no remote.",
    ),
    is_scoped=False,
    group=remote,
)
def list_(memory: Memory) -> object:
    """List the remotes as the store knows them; asks nothing of them."""
    return memory.remotes()


@command(shown="removed {done.url}; what came from it stays", is_scoped=False, group=remote)
@click.argument("url")
def remove(memory: Memory, url: str) -> object:
    """Take a remote away; nothing is deleted, here or there."""
    state = memory.remove_remote(url)
    if state.is_behind:
        note("the journal has events that were not sent there")
    return state


@command(shown="{done}", is_scoped=False, group=remote)
@click.argument("role")
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    required=True,
    help="A namespace that the role may see and write; give it once for each.",
)
@click.option("--sql", "is_sql", is_flag=True, required=True, help="Print the SQL.")
def grant(memory: Memory, role: str, namespaces: tuple[str, ...], is_sql: bool) -> object:
    """Print the SQL that lets ROLE see some namespaces of a remote in Postgres, and no others.

    The owner of the remote runs it; a machine that connects as ROLE gets those namespaces only.
    """
    return memory.grant_statements(role, namespaces)


@command(shown=_exchanged, is_scoped=False)
@click.option("--whole", is_flag=True, help="Read all that is there again.")
def sync(memory: Memory, whole: bool) -> object:
    """Exchange with every remote what is new: take in first, then send."""
    if not memory.store.has_remotes():
        memory.store.require()
        note("The store has no remote; `ebbing remote add URL` adds one.")
        return ()
    done = memory.sync(is_whole=whole)
    _say_more(done, is_first=whole)
    return done
