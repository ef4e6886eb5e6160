"""Commands that keep a store: maintain, reembed, erase, export, import, doctor."""

from __future__ import annotations

from pathlib import Path

import click

from ebbing.cli.options import json_option, namespace_option, store_option
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


@click.command()
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@store_option
@namespace_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def erase(
    memory_ids: tuple[str, ...],
    path: Path | None,
    namespace: str,
    yes: bool,
    as_json_: bool,
) -> None:
    """Remove memories for good: text, id, vector, history, logs, compiled SQL.

    Messages that they came from are blanked. It cannot be undone. Every relation and file is
    searched afterwards, and the report printed; `ebbing forget` is the way that can be undone.
    """
    if not yes:
        click.confirm(f"Erase {', '.join(memory_ids)} for good?", abort=True)
    with node_progress("building") as progress:
        done = Memory(path, namespace=namespace).erase(*memory_ids, progress=progress)
    if as_json_:
        click.echo(as_json(done))
    else:
        click.echo(f"erased {', '.join(done.memory_ids)}")
        click.echo(
            f"{len(done.searched)} relations and files searched, "
            f"{sum(place.found for place in done.searched)} copies found"
        )
        for place in (*(place for place in done.searched if place.found), *done.exports):
            click.echo(f"  {place.found} in {place.place}")
    if done.exports:
        note("exports outside the store still hold it: delete them yourself")
    if not done.is_clean:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@store_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json-lines", "parquet"]),
    default="json-lines",
    show_default=True,
    help="A file of JSON lines, or a folder of Parquet files.",
)
@json_option
def export(target: Path, path: Path | None, format_: str, as_json_: bool) -> None:
    """Write the journal, whole, to a new file or folder."""
    done = Memory(path).export(target, format=format_)
    click.echo(as_json(done) if as_json_ else f"{done.events} events written to {done.path}")


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@store_option
@json_option
def import_(source: Path, path: Path | None, as_json_: bool) -> None:
    """Read an export into a store, which is made if there is none."""
    with node_progress("building") as progress:
        done = Memory(path).import_(source, progress=progress)
    for number, reason in done.bad_lines:
        note(f"{source}:{number}: {reason}; skipped")
    if as_json_:
        click.echo(as_json(done))
        return
    click.echo(f"{done.read} events read, {done.added} new, {len(done.bad_lines)} lines skipped")


@click.command()
@store_option
@json_option
def doctor(path: Path | None, as_json_: bool) -> None:
    """Look at everything that a store needs, and say what to do; changes nothing."""
    findings = Memory(path).doctor()
    if as_json_:
        click.echo(as_json(findings))
    else:
        for finding in findings:
            mark = "ok  " if finding.is_well else "BAD "
            click.echo(f"{mark} {finding.subject}: {finding.detail}")
            if finding.remedy:
                click.echo(f"     {finding.remedy}")
    if not all(finding.is_well for finding in findings):
        raise click.exceptions.Exit(1)


COMMANDS = (maintain, reembed, erase, export, import_, doctor)
