"""Commands that keep a store: maintain, reembed, erase, export, import, backup, doctor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ebbing.cli.command import command, joined
from ebbing.cli.output import note, say
from ebbing.cli.progress import node_progress

if TYPE_CHECKING:
    from ebbing.erasure.plan import Plan
    from ebbing.erasure.run import Erased
    from ebbing.maintenance.finding import Finding
    from ebbing.memory import Memory


@command(
    shown="{done.nodes} models built, {done.embedded} texts embedded, {done.waiting} waiting, "
    "{done.folded} rows folded from the spool",
    is_scoped=False,
)
def maintain(memory: Memory) -> object:
    """Bring the memory up to date: fold the spool, embed what waits, run the dbt models."""
    with node_progress("maintaining") as progress:
        done = memory.maintain(progress=progress)
    if done.note:
        note(f"some memories still wait for their vectors: {done.note}")
    return done


@command(
    shown="the store uses {done.model_id}: {done.embedded} texts embedded, {done.refused} refused",
    is_scoped=False,
)
@click.option("--model", required=True, help="The model to change to; see `ebbing init --help`.")
def reembed(memory: Memory, model: str) -> object:
    """Change the store to another embedding model.

    Can be stopped and started again; the old vectors serve until the new set is whole.
    """
    with node_progress("embedding") as progress:
        return memory.reembed(model, progress=progress)


def _plan(plan: Plan) -> str:
    return joined(
        *(f"erase: {text}" for text in plan.texts),
        *(f"  {rows} rows of {place}" for place, rows in plan.rows if rows),
        *(
            f"  {one.table}.{one.column} {one.event_id}\n    - {one.before}\n    + {one.after}"
            for one in plan.rewritten
        ),
        *(f"  goes with it, as it cannot be read any more: {text}" for text in plan.lost),
        *(f"  stays, though it says it too: {text}" for text in plan.kept_within),
    )


def _erased(done: Erased) -> str:
    found = [place for place in done.searched if place.found]
    return joined(
        f"erased {', '.join(done.memory_ids)}",
        f"{len(done.searched)} relations and files searched, "
        f"{sum(place.found for place in found)} copies found",
        *(f"  {place.found} in {place.place}" for place in (*found, *done.exports)),
    )


@command(
    shown=lambda done: _erased(done) if hasattr(done, "searched") else _plan(done),
    is_well=lambda done: getattr(done, "is_clean", True),
)
@click.argument("memory_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--dry-run", is_flag=True, help="Only say what would be touched.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(memory: Memory, memory_ids: tuple[str, ...], dry_run: bool, yes: bool) -> object:
    """Remove memories for good: text, id, vector, history, logs, compiled SQL.

    The passages that they were read from are blanked, in this namespace alone. It cannot be
    undone: what will be touched is shown first. Every relation and file is searched afterwards,
    and the report printed; `ebbing forget` is the way that can be undone.
    """
    if dry_run or not yes:
        with node_progress("looking") as progress:
            plan = memory.erase_preview(*memory_ids, progress=progress)
        if dry_run:
            return plan
        say(_plan(plan))
        click.confirm(f"Erase {', '.join(memory_ids)} for good?", abort=True)
    with node_progress("building") as progress:
        done = memory.erase(*memory_ids, progress=progress)
    for other in done.kept_within:
        note(f"another memory says it too and stays: {other}")
    for url in done.waiting:
        note(f"{url} was away: it and who reads it are rid of it after the next `ebbing sync`")
    if done.exports:
        note("exports outside the store still hold it: delete them yourself")
    return done


@command(shown="{done.events} events written to {done.path}", is_scoped=False)
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json-lines", "parquet"]),
    default="json-lines",
    show_default=True,
    help="A file of JSON lines, or a folder of Parquet files.",
)
def export(memory: Memory, target: Path, format_: str) -> object:
    """Write the journal, whole, to a new file or folder."""
    return memory.export(target, format=format_)


@command(
    "import",
    shown=lambda done: (
        f"{done.read} events read, {done.added} new, {len(done.bad_lines)} lines skipped"
    ),
    is_scoped=False,
    is_well=lambda done: not done.bad_lines and not done.problem,
)
@click.argument("source", type=click.Path(path_type=Path))
def import_(memory: Memory, source: Path) -> object:
    """Read an export into a store, which is made if there is none."""
    with node_progress("building") as progress:
        done = memory.import_(source, progress=progress)
    for number, reason in done.bad_lines:
        note(f"{source}:{number}: {reason}; skipped")
    if done.redacted:
        note(f"secrets were redacted in {done.redacted} events")
    if done.erased:
        note(f"{done.erased} memories were erased there, and are here too")
    if done.problem:
        note(done.problem)
    return done


@command(shown="{done.size:,} bytes written to {done.path}", is_scoped=False)
@click.argument("target", type=click.Path(path_type=Path))
def backup(memory: Memory, target: Path) -> object:
    """Copy the store, whole, to a new folder, beside running writers; the copy is a store."""
    return memory.backup(target)


def _findings(findings: Sequence[Finding]) -> str:
    return joined(
        *(
            joined(
                f"{'ok  ' if one.is_well else 'BAD '} {one.subject}: {one.detail}",
                f"     {one.remedy}" if one.remedy else "",
            )
            for one in findings
        )
    )


@command(
    shown=_findings,
    is_scoped=False,
    is_well=lambda findings: all(finding.is_well for finding in findings),
)
@click.option("--repair", is_flag=True, help="Make a damaged store anew, a copy kept.")
def doctor(memory: Memory, repair: bool) -> object:
    """Look at everything that a store needs, and say what to do; changes nothing.

    With --repair, a file that is damaged is set aside, and the store made anew from the mirror of
    its journal, with every event that was ever acknowledged.
    """
    if repair:
        with node_progress("building") as progress:
            done = memory.repair(progress=progress)
        note(f"repaired: {done.damage}; {done.brought_back} events brought back")
        if done.set_aside:
            note(f"what was damaged is kept in {done.set_aside}")
        for fault in done.faults:
            note(f"a line of the mirror is damaged: {fault}")
    return memory.doctor()
