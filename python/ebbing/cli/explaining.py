"""Commands that put right, explain and try out other settings."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from ebbing.cli.options import TIME, json_option, namespace_option, store_option
from ebbing.cli.output import as_json, note, show, table
from ebbing.cli.progress import node_progress
from ebbing.memory import Memory


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("new_content", metavar="NEW_TEXT")
@store_option
@namespace_option
@click.option("--why", "reason", help="Why the old text is wrong.")
@click.option("--at", type=TIME, help="When the new text is true from. [default: now]")
@json_option
def correct(
    memory_id: str,
    new_content: str,
    path: Path | None,
    namespace: str,
    reason: str | None,
    at: datetime | None,
    as_json_: bool,
) -> None:
    """Put a memory right: the new text is live, the old one stays in history."""
    done = Memory(path, namespace=namespace).correct(memory_id, new_content, reason=reason, at=at)
    if done.note:
        note(done.note)
    if done.is_spooled:
        note("the store is busy; the correction waits in the spool")
    click.echo(as_json(done) if as_json_ else done.memory_id)


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
def unmerge(memory_id: str, path: Path | None, namespace: str) -> None:
    """Take a text out of the memory that it was merged into; counts from the next maintenance."""
    Memory(path, namespace=namespace).unmerge(memory_id)
    click.echo(f"{memory_id} stands by itself from the next `ebbing maintain`")


@click.command()
@store_option
@namespace_option
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would go, change nothing.")
@click.option("--as-of", "at", type=TIME, help="Apply the rules as of this moment. [default: now]")
@json_option
def purge(
    path: Path | None, namespace: str, is_dry_run: bool, at: datetime | None, as_json_: bool
) -> None:
    """Take out of recall what the rules of forgetting name (seed garbage_rules).

    Pinned memories are spared. `ebbing restore`, or stating it again, brings a memory back.
    """
    done = Memory(path, namespace=namespace).purge(at=at, is_dry_run=is_dry_run)
    if as_json_:
        click.echo(as_json(done))
        return
    if done.memories:
        click.echo(
            table(
                ("id", "rule", "why", "content"),
                (
                    (memory.memory_id, memory.rule_id, memory.explanation, memory.content)
                    for memory in done.memories
                ),
            )
        )
    note(f"{len(done.memories)} memories {'would be' if is_dry_run else 'were'} forgotten")


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
@click.option("--as-of", "at", type=TIME, help="Explain it as of this moment. [default: now]")
@json_option
def why(
    memory_id: str, path: Path | None, namespace: str, at: datetime | None, as_json_: bool
) -> None:
    """Print every event that made a memory's strength and weight what they are."""
    explained = Memory(path, namespace=namespace).why(memory_id, at=at)
    if as_json_:
        click.echo(as_json(explained))
        return
    state = explained.state
    click.echo(f"{state.memory_id}  {state.kind}  {state.content}")
    click.echo(
        table(
            ("when", "event", "strength", "weight", "detail", "from"),
            (
                (
                    step.occurred_at,
                    step.event,
                    _change(step.strength_before, step.strength_after),
                    _change(step.weight_before, step.weight_after),
                    step.detail,
                    step.source,
                )
                for step in explained.steps
            ),
        )
    )
    pace = (
        f"x {state.decay_base} a day"
        if state.decay_model == "exponential"
        else f"with a stability of {state.stability:.1f} days"
    )
    click.echo(
        f"strength {show(state.strength)} at {show(state.strengthened_at)}, "
        f"{state.decay_model} {pace}, {state.days_since:.2f} days on: "
        f"{show(state.strength_now)} (floor {state.strength_floor})"
    )
    click.echo(f"weight {show(state.weight)}, began as {show(state.first_weight)}")
    if state.forgotten_because:
        click.echo(f"not recalled: {state.forgotten_because}")


@click.command("why-not")
@click.argument("memory_id", metavar="ID")
@click.argument("query")
@store_option
@namespace_option
@click.option("--k", "top_k", default=5, show_default=True, help="Most memories of the recall.")
@click.option("--as-of", "at", type=TIME, help="Ask as of this moment. [default: now]")
@click.option("--words-only", is_flag=True, help="Compare words alone; loads no model.")
@json_option
def why_not(
    memory_id: str,
    query: str,
    path: Path | None,
    namespace: str,
    top_k: int,
    at: datetime | None,
    words_only: bool,
    as_json_: bool,
) -> None:
    """Print a memory's rank for a query, the score that beat it, and which factor lost it."""
    found = Memory(path, namespace=namespace).why_not(
        memory_id, query, top_k=top_k, at=at, with_vector=not words_only
    )
    if as_json_:
        click.echo(as_json(found))
        return
    rows = (
        ("memory", f"{found.memory_id}  {found.content}"),
        ("rank", found.recall_rank),
        ("recalled", found.is_recalled),
        ("lost by", found.lost_by),
        ("score", found.score),
        ("score to beat", found.score_to_beat),
        ("beaten by", found.beaten_by),
        ("relevance", found.relevance),
        ("similarity", found.similarity),
        ("words", found.lexical_score),
        ("strength", found.strength),
        ("weight", found.weight),
    )
    for name, value in rows:
        click.echo(f"{name:<14} {show(value)}")


@click.command()
@store_option
@click.option("--vars", "variables", default="{}", help="Variables of dbt_project.yml, as JSON.")
@click.option(
    "--seed",
    "seeds",
    multiple=True,
    metavar="NAME=FILE",
    help="A CSV file in the place of a seed, as in memory_kinds=mine.csv; several may be given.",
)
@click.option("--as-of", type=TIME, help="Replay what was recorded by this moment.")
@json_option
def replay(
    path: Path | None,
    variables: str,
    seeds: tuple[str, ...],
    as_of: datetime | None,
    as_json_: bool,
) -> None:
    """Build the memory under other settings in a scratch store, and show the difference.

    Memories added, forgotten and merged, and rank changes on the logged queries. The store itself
    is not touched.
    """
    with node_progress("replaying") as progress:
        done = Memory(path).replay(
            variables=_variables(variables), seeds=_files(seeds), as_of=as_of, progress=progress
        )
    if as_json_:
        click.echo(as_json(done))
        return
    click.echo(
        f"{done.compared} memories under both: {done.strengths_changed} with another strength, "
        f"{done.weights_changed} with another weight"
    )
    if done.differences:
        click.echo(
            table(
                ("change", "id", "why", "content"),
                ((d.change, d.memory_id, d.reason or None, d.content) for d in done.differences),
            )
        )
    click.echo(f"{len(done.rank_changes)} rank changes on {done.queries} logged queries")
    if done.rank_changes:
        click.echo(
            table(
                ("id", "before", "after", "query"),
                ((r.memory_id, r.rank_before, r.rank_after, r.query) for r in done.rank_changes),
            )
        )


@click.command()
@store_option
@json_option
def tune(path: Path | None, as_json_: bool) -> None:
    """Compare decay models and parameters on the logged recalls and ratings.

    Log loss of "was it of use", for each row of the seed tuning_candidates: lower is better. A
    table, not a decision; with few observations it says little.
    """
    found = Memory(path).tune()
    if as_json_:
        click.echo(as_json(found))
        return
    if not found:
        note("no recalls are logged yet: recall, rate, and run `ebbing maintain`")
        return
    click.echo(
        table(
            ("log loss", "observations", "of use", "mean strength", "model", "candidate"),
            (
                (
                    candidate.log_loss,
                    candidate.observations,
                    candidate.used_share,
                    candidate.mean_strength,
                    candidate.decay_model,
                    candidate.candidate_id,
                )
                for candidate in found
            ),
        )
    )


def _change(before: float | None, after: float | None) -> str:
    if after is None:
        return "-"
    return show(after) if before is None or before == after else f"{show(before)} > {show(after)}"


def _variables(text: str) -> dict[str, Any]:
    try:
        variables = json.loads(text)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint="--vars") from None
    if not isinstance(variables, dict):
        raise click.BadParameter("not a JSON object", param_hint="--vars")
    return variables


def _files(given: tuple[str, ...]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for pair in given:
        name, equals, file = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair} is not NAME=FILE", param_hint="--seed")
        files[name] = Path(file)
    return files


COMMANDS = (correct, unmerge, purge, why, why_not, replay, tune)
