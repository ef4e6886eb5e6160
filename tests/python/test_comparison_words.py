"""Every row of `comparison_words` decides something: without its role, a verdict is another."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from pair_harness import ROOT, Pair, classify

FRAMES = ROOT / "tests" / "fixtures" / "word_frames.csv"
WORDS = ROOT / "seeds" / "comparison_words.csv"


@dataclass(frozen=True, slots=True)
class Framed:
    """A word of the seed in one of its role's frames, and what is expected of the pair."""

    word: str
    role: str
    pair: Pair
    expected: str


def _rows(path: object) -> list[dict[str, str]]:
    with open(str(path), encoding="utf8", newline="") as lines:
        return list(csv.DictReader(lines))


def _fillings(row: dict[str, str], rows: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """What the places of a frame can hold for one word."""
    word = row["word"]
    peers = [peer for peer in rows if peer["role"] == row["role"] and peer is not row]
    siblings = [
        peer["word"]
        for peer in rows
        if peer is not row and row["canonical"] and peer["canonical"] == row["canonical"]
    ]
    others = [peer["word"] for peer in peers if peer["language"] == row["language"]] or [word]
    # A word that shields itself from a shorter row: with a part of it gone or another.
    parts = list(combinations(range(len(word) + 1), 2)) if row["role"] == "word" else [(0, 1)]
    for sibling in siblings[:2] or [row["canonical"] or word]:
        for start, end in parts:
            yield {
                "word": word,
                "other": others[0],
                "sibling": sibling,
                "plain": row["canonical"].removeprefix("@not "),
                "less": word[:start] + word[end:],
                "swapped": word[:start] + "27" + word[end:],
            }


def framed_words() -> list[Framed]:
    """Every word in every frame of its role and language."""
    frames = defaultdict(list)
    for frame in _rows(FRAMES):
        frames[frame["role"], frame["language"]].append(frame)
    rows = _rows(WORDS)
    return [
        Framed(
            word=row["word"],
            role=row["role"],
            pair=Pair(frame["earlier"].format(**filling), frame["later"].format(**filling), 0.99),
            expected=frame["expected"],
        )
        for row in rows
        for frame in frames[row["role"], row["language"]]
        for filling in _fillings(row, rows)
    ]


def deciding_words() -> set[tuple[str, str]]:
    """The words (with their roles) whose frame has the expected class, and only with the role."""
    framed = framed_words()
    verdicts = dict(zip(framed, classify([one.pair for one in framed]), strict=True))
    right = [one for one in framed if verdicts[one].pair_class == one.expected]
    decided = set()
    for role in sorted({one.role for one in right}):
        of_role = [one for one in right if one.role == role]
        without = classify([one.pair for one in of_role], without_role=role)
        decided |= {
            (one.word, role)
            for one, verdict in zip(of_role, without, strict=True)
            if verdict.pair_class != one.expected
        }
    return decided


def test_every_word_decides_a_verdict() -> None:
    decided = deciding_words()
    idle = [
        f"{row['word']} ({row['role']})"
        for row in _rows(WORDS)
        if (row["word"], row["role"]) not in decided
    ]
    assert idle == []
