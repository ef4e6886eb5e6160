"""XQuAD: sentences as memories, questions in their language and in the other.

Artetxe et al., 2020, English and Chinese. A question counts where a sentence that holds its answer
is among the first five; what is below the thresholds is not recalled and does not count. In the
store of both languages the same sentence in the question's own one takes a place, too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scopes import asking, build
from ebbing.embedding import Embedder
from ebbing.safety.text import clean

_ENDS = {"en": re.compile(r"(?<=[.!?])\s+"), "zh": re.compile(r"(?<=[。！？])")}
# Asked in, found in, of which scope.
PAIRS = (
    ("en", "en", "en"),
    ("zh", "zh", "zh"),
    ("zh", "en", "mixed"),
    ("en", "zh", "mixed"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Of the questions in one language, how many find their sentence in the other, 0 to 1."""

    asked_in: str
    found_in: str
    scope: str
    questions: int
    first: float
    first_five: float


def run(folder: Path, store_folder: Path, embedder: Embedder, *, every: int) -> tuple[Found, ...]:
    """Ask every n-th question of a store of one language, and of one of both."""
    sentences: dict[str, list[str]] = {}
    questions: dict[str, list[tuple[str, str]]] = {}
    for language in ("en", "zh"):
        data = json.loads((folder / f"xquad.{language}.json").read_text("utf-8"))["data"]
        sentences[language], questions[language] = _read(data, language)
    # One question is the same in both languages, place by place.
    answers = {language: [answer for _, answer in questions[language]] for language in questions}
    scopes = {**sentences, "mixed": sentences["en"] + sentences["zh"]}
    store = build(store_folder, embedder, scopes)
    results = []
    with asking(store, embedder) as ask:
        for asked_in, found_in, scope in PAIRS:
            first = five = 0
            places = range(0, len(questions[asked_in]), every)
            for place in places:
                found = [hit.content for hit in ask(questions[asked_in][place][0], scope)]
                wanted = answers[found_in][place]
                first += found[:1] == [wanted]
                five += wanted in found
            results.append(
                Found(
                    asked_in, found_in, scope, len(places), first / len(places), five / len(places)
                )
            )
    return tuple(results)


def _read(data: list[dict[str, object]], language: str) -> tuple[list[str], list[tuple[str, str]]]:
    sentences: list[str] = []
    questions: list[tuple[str, str]] = []
    for article in data:
        for paragraph in article["paragraphs"]:  # type: ignore[attr-defined]
            text, begun = paragraph["context"], 0
            spans = []
            for sentence in filter(str.strip, _ENDS[language].split(text)):
                start = text.index(sentence, begun)
                begun = start + len(sentence)
                spans.append((start, begun, clean(sentence)))
            sentences += [sentence for _, _, sentence in spans]
            for item in paragraph["qas"]:
                place = item["answers"][0]["answer_start"]
                held = next((s for start, end, s in spans if start <= place < end), "")
                questions.append((clean(item["question"]), held))
    return sentences, questions
