"""Commands for tasks: start, end, list, show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ebbing.cli.command import command, joined, listed, rows
from ebbing.cli.options import top_k, words_only
from ebbing.cli.output import note
from ebbing.errors import InputError

if TYPE_CHECKING:
    from ebbing.learning.tasks import StartedTask
    from ebbing.memory import Memory

_RECALLED = {
    "id": "memory_id",
    "score": "score",
    "weight": "weight",
    "kind": "kind",
    "content": "content",
}


@click.group()
def task() -> None:
    """Tell the memory what you set out to do, and afterwards what helped."""


def _started(started: StartedTask) -> str:
    recalled = started.recalled
    if not recalled.memories:
        note(f"no memories recalled: {recalled.outcome}")
    return joined(started.task_id, rows(_RECALLED, recalled.memories) if recalled.memories else "")


@command(shown=_started, group=task)
@click.argument("description")
@top_k(5, "memories to recall")
@click.option("--session", "session_id", help="The session that the task belongs to.")
@words_only
def start(memory: Memory, description: str, words_only: bool, **how: Any) -> object:
    """Begin a task: print its id, and the memories recalled for it with theirs."""
    started = memory.start_task(description, with_vector=not words_only, **how)
    if started.recalled.note:
        note(started.recalled.note)
    if started.is_spooled:
        note("the store is busy; the start waits in the spool and is folded in by the next writer")
    return started


@command(shown="{done.task_id} ended, {done.rated} rated", group=task)
@click.argument("task_id", metavar="ID")
@click.option("--tokens", "tokens_used", type=int, help="How many tokens it took.")
@click.option("--tool-calls", type=int, help="How many tools were called.")
@click.option("--errors", type=int, help="How many steps ended in an error.")
@click.option(
    "--corrections", "user_corrections", type=int, help="How often the user put something right."
)
@click.option(
    "--completed/--failed", "is_completed", default=None, required=True, help="How it ended."
)
@click.option(
    "--rate",
    "ratings",
    multiple=True,
    metavar="MEMORY_ID=N",
    help="How useful a recalled memory was: 0 misled, 1 hardly any use, 2 useful, 3 needed; "
    "may be given several times.",
)
def end(memory: Memory, task_id: str, ratings: tuple[str, ...], **how: Any) -> object:
    """End a task: say how it went, and rate the memories recalled in it.

    The weights of memories follow with the next `ebbing maintain`.
    """
    ended = memory.end_task(task_id, ratings=_parsed(ratings), **how)
    if ended.is_spooled:
        note("the store is busy; the end waits in the spool, and is checked when it is folded in")
    return ended


@command(
    "list",
    shown=listed(
        {
            "id": "task_id",
            "started": "started_at",
            "ended": "finished_at",
            "completed": "is_completed",
            "score": "task_score",
            "description": "description",
        },
        empty="no tasks in this namespace",
    ),
    group=task,
)
@top_k(20, "tasks")
def list_(memory: Memory, top_k: int) -> object:
    """Print the tasks of a namespace, the last one started first.

    An ended task has its score after the next `ebbing maintain`.
    """
    return memory.tasks(top_k=top_k)


@command(
    shown=listed(
        {
            "id": "memory_id",
            "rank": "rank",
            "similar": "similarity",
            "rating": "rating",
            "share": "share",
            "credit": "credit",
            "content": "content",
        },
        empty="nothing recalled in it, or not before the next `ebbing maintain`",
    ),
    group=task,
)
@click.argument("task_id", metavar="ID")
def show(memory: Memory, task_id: str) -> object:
    """Print what a task says of each memory recalled in it, as of the last `ebbing maintain`."""
    return memory.attribution(task_id)


def _parsed(ratings: tuple[str, ...]) -> dict[str, int]:
    parsed: dict[str, int] = {}
    for given in ratings:
        memory_id, separator, rating = given.rpartition("=")
        if not (separator and memory_id and rating.isdecimal()):
            raise InputError(
                f"{given!r} is no rating; nothing was changed; write it as MEMORY_ID=N, N from 0 "
                "to 3"
            )
        if memory_id in parsed:
            raise InputError(f"{memory_id} is rated twice; nothing was changed; rate it once")
        parsed[memory_id] = int(rating)
    return parsed
