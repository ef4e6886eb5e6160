"""All measurements of retrieval in one table, beside the last committed one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks import locomo, paraphrases, precision, talk, xquad
from ebbing.embedding import Embedder

COMMITTED = Path(__file__).parent / "figures.json"

Figures = dict[str, float]


def run(data: Path, scratch: Path, embedder: Embedder, *, only: tuple[str, ...]) -> Figures:
    """Measure what of the folder `data` is there: locomo10.json, xquad/, precisionmembench/, talk/.

    A figure's name begins with its benchmark; figures are counts or shares from 0 to 1.
    """
    figures: Figures = {}
    for name, path, measure in (
        ("paraphrases", paraphrases.DATA, _paraphrases),
        ("precision", data / "precisionmembench", _precision),
        ("talk", data / "talk", _talk),
        ("xquad", data / "xquad", _xquad),
        ("locomo", data / "locomo10.json", _locomo),
    ):
        if path.exists() and (not only or name in only):
            for figure, value in measure(path, scratch / name, embedder):
                figures[f"{name} {figure}"] = round(value, 3)
    return figures


def committed() -> Figures:
    """Return the figures of the last committed run; none where there was none."""
    if not COMMITTED.exists():
        return {}
    read: Figures = json.loads(COMMITTED.read_text("utf-8"))
    return read


def keep(figures: Figures) -> None:
    """Write the figures to be committed, with those of benchmarks that were not run."""
    text = json.dumps({**committed(), **figures}, indent=2, sort_keys=True)
    COMMITTED.write_text(text + "\n", "utf-8")


def _paraphrases(path: Path, store: Path, embedder: Embedder) -> Iterator[tuple[str, float]]:
    for each in paraphrases.run(store, embedder):
        place = f"{each.language} of {each.size}"
        yield f"{place}, first", each.first
        yield f"{place}, first three", each.first_three
        yield f"{place}, off-topic answered", each.off_topic


def _precision(path: Path, store: Path, embedder: Embedder) -> Iterator[tuple[str, float]]:
    done = precision.run(path, store, embedder)
    yield "precision", done.precision
    yield "recall", done.recall


def _talk(path: Path, store: Path, embedder: Embedder) -> Iterator[tuple[str, float]]:
    for labels in sorted(path.glob("*.labels.json")):
        log = labels.with_name(labels.name.replace(".labels.json", ".jsonl"))
        done = talk.measure(log, store / log.stem, embedder=embedder, is_facts_only=False)
        yield f"{done.name}, facts kept of {done.facts}", done.kept
        yield f"{done.name}, first of {done.questions}", done.first
        yield f"{done.name}, first three of {done.questions}", done.first_three
        yield f"{done.name}, never stored of {done.never_stored}", len(done.answered_though)


def _xquad(path: Path, store: Path, embedder: Embedder) -> Iterator[tuple[str, float]]:
    for each in xquad.run(path, store, embedder, every=5):
        yield f"{each.scope} {each.asked_in}-{each.found_in}, first five", each.first_five


def _locomo(path: Path, store: Path, embedder: Embedder) -> Iterator[tuple[str, float]]:
    for each in locomo.run(path, store, embedder=embedder).figures:
        for cutoff, value in zip(locomo.CUTOFFS, each.recall_at, strict=True):
            yield f"{each.ranking}, R@{cutoff}", value
        yield f"{each.ranking}, MRR", each.mean_reciprocal_rank
