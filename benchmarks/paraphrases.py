"""Plain questions in other words than the memory's, and questions that nothing stored answers.

A hundred of each, English and Chinese, in `data/paraphrases.txt`, in stores of several sizes: the
memory among others of its language, then of the other, then sentences of XQuAD.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scopes import asking, build
from ebbing.embedding import Embedder

DATA = Path(__file__).parent / "data" / "paraphrases.txt"
SIZES = (1, 5, 15, 100)


@dataclass(frozen=True, slots=True)
class Line:
    """A memory and a question that it answers, or a question alone."""

    language: str
    memory: str
    question: str


@dataclass(frozen=True, slots=True)
class Answered:
    """Shares of the questions: memory first, among the first three; off-topic ones answered."""

    language: str
    size: int
    questions: int
    first: float
    first_three: float
    off_topic: float


def lines(half: int | None = None) -> list[Line]:
    """Return the lines: all, or those of one half by number, 1 for the report's."""
    read = [
        Line(*line.split("|"))
        for line in DATA.read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    return read if half is None else read[half::2]


def run(
    store_folder: Path,
    embedder: Embedder,
    *,
    filler: tuple[str, ...] = (),
    sizes: tuple[int, ...] = SIZES,
    half: int = 1,
) -> tuple[Answered, ...]:
    """Ask the questions of one half, each of a store of its own for each size."""
    asked = lines(half)
    every = [line for line in lines() if line.memory]
    on = [line for line in asked if line.memory]
    off = {
        language: [each for each in asked if not each.memory and each.language == language]
        for language in ("en", "zh")
    }
    large = max(sizes) > len(every)
    scopes = {
        f"{size}-{place}": _scope(line, every, size, random.Random(place))
        for size in sizes
        for place, line in enumerate(on)
        if size <= len(every)
    }
    if large:
        scopes["large"] = [*(line.memory for line in every), *filler][: max(sizes)]
    store = build(store_folder, embedder, scopes)
    counts: dict[tuple[str, int], list[int]] = {}
    with asking(store, embedder) as ask:
        for size, place, line in _cases(sizes, on):
            namespace = f"{size}-{place}" if size <= len(every) else "large"
            found = [hit.content for hit in ask(line.question, namespace, top_k=3)]
            others = off[line.language]
            nothing = ask(others[place % len(others)].question, namespace, top_k=1)
            for name, value in enumerate(
                (1, found[:1] == [line.memory], line.memory in found, bool(nothing))
            ):
                counts.setdefault((line.language, size), [0] * 4)[name] += value
    return tuple(
        Answered(language, size, n, first / n, three / n, nothing / n)
        for (language, size), (n, first, three, nothing) in sorted(counts.items())
    )


def _cases(sizes: tuple[int, ...], on: list[Line]) -> Iterator[tuple[int, int, Line]]:
    for size in sizes:
        for place, line in enumerate(on):
            yield size, place, line


def _scope(line: Line, every: list[Line], size: int, chance: random.Random) -> list[str]:
    own = [each.memory for each in every if each.language == line.language and each is not line]
    other = [each.memory for each in every if each.language != line.language]
    chance.shuffle(own)
    chance.shuffle(other)
    return [line.memory, *(memory for memory in (*own, *other) if memory != line.memory)][:size]
