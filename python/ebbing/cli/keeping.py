"""Commands that keep a store: maintain, reembed."""

from __future__ import annotations

from pathlib import Path

import click

from ebbing.cli.options import json_option, store_option
from ebbing.cli.output import as_json, note
from ebbing.cli.progress import node_progress
from ebbing.memory import Memory


@click.command()
@store_option
@json_option
def maintain(path: Path | None, as_json_: bool) -> None:
    """Bring the memory up to date: fold the spool, embed what waits, run the dbt models."""
    with node_progress("maintaining") as progress:
        done = Memory(path).maintain(progress=progress)
    if done.note:
        note(f"some memories still wait for their vectors: {done.note}")
    if as_json_:
        click.echo(as_json(done))
        return
    click.echo(
        f"{done.nodes} models built, {done.embedded} texts embedded, {done.waiting} waiting, "
        f"{done.folded} rows folded from the spool"
    )


@click.command()
@store_option
@click.option("--model", required=True, help="The model to change to; see `ebbing init --help`.")
@json_option
def reembed(path: Path | None, model: str, as_json_: bool) -> None:
    """Change the store to another embedding model.

    Can be stopped and started again; the old vectors serve until the new set is whole.
    """
    with node_progress("embedding") as progress:
        done = Memory(path).reembed(model, progress=progress)
    if as_json_:
        click.echo(as_json(done))
        return
    click.echo(
        f"the store uses {done.model_id}: {done.embedded} texts embedded, {done.refused} refused"
    )


COMMANDS = (maintain, reembed)
