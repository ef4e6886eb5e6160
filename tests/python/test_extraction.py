"""What the extraction rules make of labelled messages, and what they leave alone.

The labels are of three sources: statements of our own, logs of coding agents, and turns of LoCoMo.
These stand by their ids alone; their text is read from the file that `EBBING_LOCOMO` names, and
they are left out without it. The split `test` was not looked at while rules were written.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from talk import is_kept

from extraction_harness import (
    Message,
    Statement,
    connect,
    extraction_sql,
    run_extraction,
    split_sentences,
)

TALK = Path(__file__).parents[1] / "fixtures" / "talk"
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
    source: str
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


def _turns() -> dict[str, str]:
    """Return LoCoMo's turns as `sample:turn`, where the file is at hand."""
    if not (path := os.environ.get("EBBING_LOCOMO")):
        return {}
    return {
        f"{sample['sample_id']}:{turn['dia_id']}": turn["text"]
        for sample in json.loads(Path(path).read_text("utf-8"))
        for key, turns in sample["conversation"].items()
        if key.startswith("session_") and isinstance(turns, list)
        for turn in turns
    }


def _read_labels() -> Iterator[Label]:
    turns = _turns()
    with LABELS.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            content = row.get("content") or turns.get(row["turn"])
            if content is None:
                continue
            yield Label(
                message=Message(message_id=row["id"], content=content, role=row["role"]),
                source=row["source"],
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
        groups = (
            "all",
            label.split,
            f"{label.split}, {label.language}",
            f"{label.split}, {label.source}",
        )
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
        print(f"{group:18} precision {score.precision:.3f} recall {score.recall:.3f}")
    assert scores["all"].precision >= 0.95
    assert scores["all"].recall >= 0.70
    # The messages that no rule was written for.
    assert scores["test"].precision >= 0.95
    assert scores["test"].recall >= 0.70


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


def _made_of_lines(fixture: str) -> dict[str, list[str]]:
    lines = (LABELS.parent / fixture).read_text("utf-8").splitlines()
    made: dict[str, list[str]] = {line: [] for line in lines}
    messages = [Message(message_id=line, content=line) for line in lines]
    for statement in run_extraction(messages):
        made[statement.message_id].append(statement.content)
    return made


def test_what_is_said_plainly_is_kept() -> None:
    made = _made_of_lines("plain_statements.txt")
    assert sum(map(bool, made.values())) / len(made) >= 0.95


def test_small_talk_about_the_work_at_hand_makes_no_memory() -> None:
    assert [texts for texts in _made_of_lines("small_talk.txt").values() if texts] == []


@pytest.mark.parametrize(("name", "least"), [("A", 30), ("B", 30)])
def test_most_facts_of_a_conversation_become_memories(name: str, least: int) -> None:
    messages = [
        json.loads(line) for line in (TALK / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    facts = json.loads((TALK / f"{name}.labels.json").read_text("utf-8"))["gold"]
    made: dict[str, list[str]] = defaultdict(list)
    for statement in run_extraction(
        Message(
            message_id=str(number),
            content=message["content"],
            role=message["role"],
            occurred_at=message["ts"].rstrip("Z"),
        )
        for number, message in enumerate(messages, start=1)
    ):
        made[statement.message_id].append(statement.content)
    kept = [
        fact["gold"]
        for fact in facts
        if fact["id"] != "?"
        and is_kept(fact["gold"], messages[fact["msg"] - 1]["content"], made[str(fact["msg"])])
    ]
    assert len(kept) >= least


# What is said, and every memory it makes.
WORDING: dict[str, list[str]] = {
    "I don't eat meat.": ["User does not eat meat"],
    "I no longer drink tea.": ["User no longer drinks tea"],
    "I moved to Leeds last year.": ["User moved to Leeds last year (2024, said on 2025-06-10)"],
    "I live in Leeds with my wife.": ["User lives in Leeds with their wife"],
    "The router IP is 192.168.7.1.": ["The router IP is 192.168.7.1"],
    "To deploy, run `make a.b && make c`.": ["To deploy, run `make a.b && make c`"],
    "我住在杭州，离西湖很近。": ["用户住在杭州，离西湖很近"],
    "今天玩成语接龙游戏": ["用户今天玩成语接龙游戏（2025-06-10）"],
    "我不吃香菜。": ["用户不吃香菜"],
    "Before you commit, run " + " then ".join(f"`step {n}`" for n in range(12)) + ".": [
        "Before you commit, run " + " then ".join(f"`step {n}`" for n in range(12))
    ],
    # No first person is kept, whoever the text is about.
    "Remember that my dentist is Dr. Weber": ["User's dentist is Dr. Weber"],
    "Remember that I parked on level 3": ["User parked on level 3"],
    "记住我把车停在三层": ["用户把车停在三层"],
    # Of one verb, whatever its ending.
    "I study law.": ["User studies law"],
    "I teach chemistry.": ["User teaches chemistry"],
    # What follows from a statement belongs to it.
    "The office is closed on Mondays, so deploy on Tuesdays.": [
        "The office is closed on Mondays, so deploy on Tuesdays"
    ],
    # Several subjects, several memories.
    "My wife is allergic to shellfish and my son to nuts.": [
        "User's wife is allergic to shellfish",
        "User's son is allergic to nuts",
    ],
    "Walter left, my boss is Olga.": ["Walter left", "User's boss is Olga"],
    "我老婆对虾过敏，女儿对花生过敏。": ["用户的老婆对虾过敏", "用户的女儿对花生过敏"],
    # A wish in the form of a question.
    "Can you always use British spelling?": ["User wants: always use British spelling"],
    "Can you use British spelling in this file?": [],
    "能不能以后都用简体中文回答？": ["用户希望以后都用简体中文回答"],
    # A request about a text silences the text, not the user.
    "Can you proofread the README? Always use British spelling.": [
        "User wants: Always use British spelling"
    ],
    "Translate this into French. I live in Rome.": [],
    "Dear Sir, I live in Rome and I have two cats.": [],
    # One word says nothing.
    "nice, remember that one": [],
    "great - keep that in mind": [],
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


def test_memories_stay_close_to_the_words() -> None:
    messages = [Message(message_id=content, content=content) for content in WORDING]
    made: dict[str, list[str]] = {content: [] for content in WORDING}
    for statement in run_extraction(messages):
        made[statement.message_id].append(statement.content)
    assert made == WORDING


def test_a_memory_of_a_group_says_whose_it_is() -> None:
    said = {
        "Caroline: My wife is from Porto and I love hiking.": [
            "Caroline's wife is from Porto",
            "Caroline loves hiking",
        ],
        "The staging box is 10.20.0.14": ["The staging box is 10.20.0.14"],
        "我住在杭州，我不吃香菜。": ["Caroline住在杭州", "Caroline不吃香菜"],
    }
    messages = [
        Message(message_id=content, content=content, speaker="Caroline") for content in said
    ]
    made: dict[str, list[str]] = {content: [] for content in said}
    for statement in run_extraction(messages):
        made[statement.message_id].append(statement.content)
    assert made == said


def test_no_day_is_claimed_for_what_has_none() -> None:
    message = Message(message_id="1", content="I moved to Turin last year.", is_dated=False)
    assert [made.content for made in run_extraction([message])] == ["User moved to Turin last year"]


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


def test_a_statement_names_the_clause_and_the_sentence_that_it_was_read_from() -> None:
    said = "My name is Lin and I live in Leeds. By the way, I use `vim --clean`, thanks!"
    with closing(connect([Message(message_id="1", content=said)])) as connection:
        rows = connection.execute(
            f"select clause, sentence from ({extraction_sql()}) order by statement_seq"
        ).fetchall()
    assert rows == [
        ("My name is Lin", "My name is Lin and I live in Leeds."),
        ("I live in Leeds.", "My name is Lin and I live in Leeds."),
        ("By the way, I use `vim --clean`, thanks!",) * 2,
    ]
