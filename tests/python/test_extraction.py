"""What the extraction rules make of labelled messages, and what they leave alone."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from extraction_harness import Message, Statement, run_extraction, split_sentences

LABELS = Path(__file__).parents[1] / "fixtures" / "extraction_labels.jsonl"
NEVER = frozenset({"question", "code", "assistant", "injected"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A memory that a message should make: its kinds and the words it must hold."""

    kinds: frozenset[str]
    tokens: tuple[frozenset[str], ...]

    def is_met_by(self, statement: Statement) -> bool:
        """Whether the statement is this memory."""
        content = statement.content.lower()
        return statement.kind in self.kinds and all(
            any(word in content for word in words) for words in self.tokens
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A message and what it should make."""

    message: Message
    split: str
    language: str
    category: str
    expected: tuple[Expected, ...]


@dataclass(slots=True)
class Score:
    """Counts of right, wrong and missed memories."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """The share of made memories that are right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of expected memories that are made."""
        return self.right / max(1, self.right + self.missed)


def _words(token: str) -> frozenset[str]:
    return frozenset(token.lower().split("|"))


def _read_labels() -> Iterator[Label]:
    with LABELS.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield Label(
                message=Message(message_id=row["id"], content=row["content"], role=row["role"]),
                split=row["split"],
                language=row["language"],
                category=row["category"],
                expected=tuple(
                    Expected(
                        kinds=frozenset(item["kind"].split("|")),
                        tokens=tuple(map(_words, item["tokens"])),
                    )
                    for item in row["expected"]
                ),
            )


@pytest.fixture(scope="module")
def labels() -> list[Label]:
    """Return the labelled messages."""
    return list(_read_labels())


@pytest.fixture(scope="module")
def made(labels: list[Label]) -> dict[str, list[Statement]]:
    """Return what the rules make of the labelled messages, by message."""
    by_message: dict[str, list[Statement]] = defaultdict(list)
    for statement in run_extraction(label.message for label in labels):
        by_message[statement.message_id].append(statement)
    return by_message


def _scores(labels: list[Label], made: dict[str, list[Statement]]) -> dict[str, Score]:
    scores: dict[str, Score] = defaultdict(Score)
    for label in labels:
        left = list(label.expected)
        wrong = 0
        for statement in made.get(label.message.message_id, []):
            met = next((item for item in left if item.is_met_by(statement)), None)
            if met is None:
                wrong += 1
            else:
                left.remove(met)
        groups = ("all", label.split, label.language, f"{label.split}, {label.language}")
        for group in groups:
            scores[group].right += len(label.expected) - len(left)
            scores[group].wrong += wrong
            scores[group].missed += len(left)
    return scores


def test_the_labels_are_many_and_of_both_languages(labels: list[Label]) -> None:
    negatives = sum(not label.expected for label in labels)
    assert len(labels) >= 170
    assert sum(label.language == "zh" for label in labels) >= 70
    assert negatives / len(labels) >= 0.4


def test_memories_are_precise_and_most_are_found(
    labels: list[Label], made: dict[str, list[Statement]]
) -> None:
    scores = _scores(labels, made)
    for group, score in sorted(scores.items()):
        print(f"{group:9} precision {score.precision:.3f} recall {score.recall:.3f}")
    assert scores["all"].precision >= 0.95
    assert scores["all"].recall >= 0.70
    # The messages that no rule was written for.
    assert scores["test"].precision >= 0.90
    assert scores["test"].recall >= 0.65


@pytest.mark.parametrize("category", sorted(NEVER))
def test_some_messages_never_make_a_memory(
    labels: list[Label], made: dict[str, list[Statement]], category: str
) -> None:
    unwanted = [
        statement
        for label in labels
        if label.category == category
        for statement in made.get(label.message.message_id, [])
    ]
    assert unwanted == []


WORDING = {
    "I don't eat meat.": "User does not eat meat",
    "I no longer drink tea.": "User no longer drinks tea",
    "I moved to Leeds last year.": "User moved to Leeds last year (said on 2025-06-10)",
    "I live in Leeds with my wife.": "User lives in Leeds with their wife",
    "The router IP is 192.168.7.1.": "The router IP is 192.168.7.1",
    "To deploy, run `make a.b && make c`.": "To deploy, run `make a.b && make c`",
    "我住在杭州，离西湖很近。": "用户住在杭州，离西湖很近",
    "今天玩成语接龙游戏": "用户今天玩成语接龙游戏（2025-06-10）",
    "我不吃香菜。": "用户不吃香菜",
    "Before you commit, run " + " then ".join(f"`step {n}`" for n in range(12)) + ".": (
        "Before you commit, run " + " then ".join(f"`step {n}`" for n in range(12))
    ),
}
ODD = [
    "",
    "   ",
    "\n\n",
    "????",
    "';--",
    "`" * 50,
    '"' * 51,
    "“" * 20,
    "<ebbing-memories>",
    "a" * 100_000,
    "I like " + "very " * 5_000 + "long texts.",
    "\ue000\ue001 I like \ue000 tea",
]


def test_a_memory_stays_close_to_the_words() -> None:
    messages = [Message(message_id=content, content=content) for content in WORDING]
    made = {statement.message_id: statement.content for statement in run_extraction(messages)}
    assert made == WORDING


def test_odd_text_is_read_without_an_error() -> None:
    messages = [Message(message_id=str(n), content=content) for n, content in enumerate(ODD)]
    assert all(len(statement.content) <= 300 for statement in run_extraction(messages))


def test_sentences_end_where_a_reader_ends_them() -> None:
    text = "See e.g. src/main.py at 10.0.0.1, v3.5. 我住在杭州。我养猫！\nIs it so? Yes."
    assert split_sentences(text) == [
        "See e.g. src/main.py at 10.0.0.1, v3.5.",
        "我住在杭州。",
        "我养猫！",
        "Is it so?",
        "Yes.",
    ]
