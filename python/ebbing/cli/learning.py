"""Commands for tasks: start, end, list, show."""

from __future__ import annotations

from pathlib import Path

import click

from ebbing.cli.options import json_option, namespace_option, store_option
from ebbing.cli.output import as_json, note, table
from ebbing.errors import InputError
from ebbing.memory import Memory


@click.group()
def task() -> None:
    """Tell the memory what you set out to do, and afterwards what helped."""


@task.command()
@click.argument("description")
@store_option
@namespace_option
@click.option("--k", "top_k", default=5, show_default=True, help="Most memories to recall.")
@click.option("--session", "session_id", help="The session that the task belongs to.")
@click.option("--words-only", is_flag=True, help="Compare words alone; loads no model.")
@json_option
def start(
    description: str,
    path: Path | None,
    namespace: str,
    top_k: int,
    session_id: str | None,
    words_only: bool,
    as_json_: bool,
) -> None:
    """Begin a task: print its id, and the memories recalled for it with theirs."""
    started = Memory(path, namespace=namespace).start_task(
        description, top_k=top_k, session_id=session_id, with_vector=not words_only
    )
    if started.recalled.note:
        note(started.recalled.note)
    if started.is_spooled:
        note("the store is busy; the start waits in the spool and is folded in by the next writer")
    if as_json_:
        click.echo(as_json(started))
        return
    click.echo(started.task_id)
    if started.recalled.memories:
        click.echo(
            table(
                ("id", "score", "weight", "kind", "content"),
                (
                    (memory.memory_id, memory.score, memory.weight, memory.kind, memory.content)
                    for memory in started.recalled.memories
                ),
            )
        )
    else:
        note(f"no memories recalled: {started.recalled.outcome}")


@task.command()
@click.argument("task_id", metavar="ID")
@store_option
@namespace_option
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
@json_option
def end(
    task_id: str,
    path: Path | None,
    namespace: str,
    tokens_used: int | None,
    tool_calls: int | None,
    errors: int | None,
    user_corrections: int | None,
    is_completed: bool,
    ratings: tuple[str, ...],
    as_json_: bool,
) -> None:
    """End a task: say how it went, and rate the memories recalled in it.

    The weights of memories follow with the next `ebbing maintain`.
    """
    ended = Memory(path, namespace=namespace).end_task(
        task_id,
        is_completed=is_completed,
        tokens_used=tokens_used,
        tool_calls=tool_calls,
        errors=errors,
        user_corrections=user_corrections,
        ratings=_parsed(ratings),
    )
    click.echo(as_json(ended) if as_json_ else f"{ended.task_id} ended, {ended.rated} rated")


@task.command(name="list")
@store_option
@namespace_option
@click.option("--k", "top_k", default=20, show_default=True, help="Most tasks.")
@json_option
def list_(path: Path | None, namespace: str, top_k: int, as_json_: bool) -> None:
    """Print the tasks of a namespace, the last one started first.

    An ended task has its score after the next `ebbing maintain`.
    """
    found = Memory(path, namespace=namespace).tasks(top_k=top_k)
    if as_json_:
        click.echo(as_json(found))
        return
    if not found:
        note("no tasks in this namespace")
        return
    click.echo(
        table(
            ("id", "started", "ended", "completed", "score", "description"),
            (
                (
                    one.task_id,
                    one.started_at,
                    one.finished_at,
                    one.is_completed,
                    one.task_score,
                    one.description,
                )
                for one in found
            ),
        )
    )


@task.command()
@click.argument("task_id", metavar="ID")
@store_option
@namespace_option
@json_option
def show(task_id: str, path: Path | None, namespace: str, as_json_: bool) -> None:
    """Print what a task says of each memory recalled in it, as of the last `ebbing maintain`."""
    found = Memory(path, namespace=namespace).attribution(task_id)
    if as_json_:
        click.echo(as_json(found))
        return
    if not found:
        note("nothing recalled in it, or not before the next `ebbing maintain`")
        return
    click.echo(
        table(
            ("id", "rank", "similar", "rating", "share", "credit", "content"),
            (
                (
                    one.memory_id,
                    one.rank,
                    one.similarity,
                    one.rating,
                    one.share,
                    one.credit,
                    one.content,
                )
                for one in found
            ),
        )
    )


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


COMMANDS = (task,)
