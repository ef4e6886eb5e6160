"""Commands that put right, explain and try out other settings."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ebbing.cli.command import Columns, command, joined, listed, rows
from ebbing.cli.options import TIME, at_option, memory_id, top_k, words_only
from ebbing.cli.output import note, show
from ebbing.cli.progress import node_progress

if TYPE_CHECKING:
    from ebbing.maintenance.purge import Purged
    from ebbing.maintenance.replay import Replay
    from ebbing.memory import Memory
    from ebbing.recall.explaining import Explanation


@command(shown="{done.memory_id}")
@memory_id
@click.argument("new_content", metavar="NEW_TEXT")
@click.option("--why", "reason", help="Why the old text is wrong.")
@at_option("--at", "When the new text is true from.")
def correct(memory: Memory, memory_id: str, new_content: str, **how: Any) -> object:
    """Put a memory right: the new text is live, the old one stays in history."""
    done = memory.correct(memory_id, new_content, **how)
    if done.note:
        note(done.note)
    if done.is_spooled:
        note("the store is busy; the correction waits in the spool")
    return done


@command(shown="{done.memory_id} stands by itself from the next `ebbing maintain`")
@memory_id
def unmerge(memory: Memory, memory_id: str) -> object:
    """Take a text out of the memory that it was merged into; counts from the next maintenance."""
    return memory.unmerge(memory_id)


_PURGED = {"id": "memory_id", "rule": "rule_id", "why": "explanation", "content": "content"}


def _purged(done: Purged) -> str:
    note(f"{len(done.memories)} memories {'would be' if done.is_dry_run else 'were'} forgotten")
    return rows(_PURGED, done.memories) if done.memories else ""


@command(shown=_purged)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would go, change nothing.")
@at_option("--as-of", "Apply the rules as of this moment.")
def purge(memory: Memory, **how: Any) -> object:
    """Take out of recall what the rules of forgetting name (seed garbage_rules).

    Pinned memories are spared. `ebbing restore`, or stating it again, brings a memory back.
    """
    return memory.purge(**how)


_STEPS: Columns = {
    "when": "occurred_at",
    "event": "event",
    "strength": lambda step: _change(step.strength_before, step.strength_after),
    "weight": lambda step: _change(step.weight_before, step.weight_after),
    "detail": "detail",
    "from": "source",
}


def _explained(explained: Explanation) -> str:
    state = explained.state
    pace = (
        f"x {state.decay_base} a day"
        if state.decay_model == "exponential"
        else f"with a stability of {state.stability:.1f} days"
    )
    return joined(
        f"{state.memory_id}  {state.kind}  {state.content}",
        rows(_STEPS, explained.steps),
        f"strength {show(state.strength)} at {show(state.strengthened_at)}, "
        f"{state.decay_model} {pace}, {state.days_since:.2f} days on: "
        f"{show(state.strength_now)} (floor {state.strength_floor})",
        f"weight {show(state.weight)}, began as {show(state.first_weight)}",
        f"not recalled: {state.forgotten_because}" if state.forgotten_because else "",
    )


@command(shown=_explained)
@memory_id
@at_option("--as-of", "Explain it as of this moment.")
def why(memory: Memory, memory_id: str, at: datetime | None) -> object:
    """Print every event that made a memory's strength and weight what they are."""
    return memory.why(memory_id, at=at)


_FACTORS = {
    "rank": "recall_rank",
    "recalled": "is_recalled",
    "lost by": "lost_by",
    "score": "score",
    "score to beat": "score_to_beat",
    "beaten by": "beaten_by",
    "relevance": "relevance",
    "similarity": "similarity",
    "centred": "centred_similarity",
    "stands out by": "standing_out",
    "words": "lexical_score",
    "neighbour": "neighbour_relevance",
    "its talk": "stretch_relevance",
    "speaker named": "is_speaker_named",
    "in the period": "is_in_period",
    "outdated": "is_outdated",
    "strength": "strength",
    "weight": "weight",
}


@command(
    "why-not",
    shown=lambda found: joined(
        f"{'memory':<14} {found.memory_id}  {found.content}",
        *(f"{name:<14} {show(getattr(found, field))}" for name, field in _FACTORS.items()),
    ),
)
@memory_id
@click.argument("query")
@top_k(5, "memories of the recall")
@at_option("--as-of", "Ask as of this moment.")
@words_only
def why_not(memory: Memory, memory_id: str, query: str, words_only: bool, **how: Any) -> object:
    """Print a memory's rank for a query, the score that beat it, and which factor lost it."""
    return memory.why_not(memory_id, query, with_vector=not words_only, **how)


_DIFFERENCES: Columns = {
    "change": "change",
    "id": "memory_id",
    "why": lambda difference: difference.reason or None,
    "content": "content",
}
_RANKS = {"id": "memory_id", "before": "rank_before", "after": "rank_after", "query": "query"}


def _replayed(done: Replay) -> str:
    return joined(
        f"{done.compared} memories under both: {done.strengths_changed} with another strength, "
        f"{done.weights_changed} with another weight",
        rows(_DIFFERENCES, done.differences) if done.differences else "",
        f"{len(done.rank_changes)} rank changes on {done.queries} logged queries",
        rows(_RANKS, done.rank_changes) if done.rank_changes else "",
    )


@command(shown=_replayed, is_scoped=False)
@click.option("--vars", "variables", default="{}", help="Variables of dbt_project.yml, as JSON.")
@click.option(
    "--seed",
    "seeds",
    multiple=True,
    metavar="NAME=FILE",
    help="A CSV file in the place of a seed, as in memory_kinds=mine.csv; several may be given.",
)
@click.option("--as-of", type=TIME, help="Replay what was recorded by this moment.")
def replay(
    memory: Memory, variables: str, seeds: tuple[str, ...], as_of: datetime | None
) -> object:
    """Build the memory under other settings in a scratch store, and show the difference.

    Memories added, forgotten and merged, and rank changes on the logged queries. The store itself
    is not touched.
    """
    with node_progress("replaying") as progress:
        return memory.replay(
            variables=_variables(variables), seeds=_files(seeds), as_of=as_of, progress=progress
        )


@command(
    shown=listed(
        {
            "log loss": "log_loss",
            "observations": "observations",
            "of use": "used_share",
            "mean strength": "mean_strength",
            "model": "decay_model",
            "candidate": "candidate_id",
        },
        empty="no recalls are logged yet: recall, rate, and run `ebbing maintain`",
    ),
    is_scoped=False,
)
def tune(memory: Memory) -> object:
    """Compare decay models and parameters on the logged recalls and ratings.

    Log loss of "was it of use", for each row of the seed tuning_candidates: lower is better. A
    table, not a decision; with few observations it says little.
    """
    return memory.tune()


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
