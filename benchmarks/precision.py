"""PrecisionMemBench: which beliefs a question should bring, and which it brings besides.

A belief that holds (not superseded, not resolved, of the test's user) is a memory in the namespace
of its scope; its name and aliases stand behind its text. A case asks in its scopes and in the
user's own. Pinned beliefs and open questions are always at hand there, so they count neither for
nor against; of the rest exactly `relevantBeliefs.shouldOnlyInclude` is right.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.scopes import asking, build
from ebbing.embedding import Embedder
from ebbing.safety.text import clean

_OWN = "user:universal"
_TOP = 5


@dataclass(frozen=True, slots=True)
class Precision:
    """Of what was recalled the part that is right, of what is right the part that was recalled."""

    cases: int
    recalled: int
    precision: float
    recall: float


def run(folder: Path, store_folder: Path, embedder: Embedder) -> Precision:
    """Ask every case that names what is right."""
    beliefs = [each for each in _json(folder / "beliefs.seed.json") if _holds(each)]
    text_of = {each["_id"]: _text(each) for each in beliefs}
    scopes: dict[str, list[str]] = {}
    for each in beliefs:
        for scope in each["scope"]:
            scopes.setdefault(scope, []).append(text_of[each["_id"]])
    neither = {
        text_of[each["_id"]]
        for each in beliefs
        if each["pinned"] or each["type"] == "open_question"
    }
    store = build(store_folder, embedder, scopes)
    cases = recalled = right = wanted = 0
    with asking(store, embedder) as ask:
        for case in _json(folder / "retrieval.cases.json"):
            only = case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude")
            if only is None:
                continue
            should = {text_of[belief] for belief in only if belief in text_of}
            found = {
                hit.content for hit in ask(case["query"], *case["scope"], _OWN, top_k=_TOP)
            } - (neither - should)
            cases += 1
            recalled += len(found)
            right += len(found & should)
            wanted += len(should)
    return Precision(
        cases=cases,
        recalled=recalled,
        precision=right / recalled if recalled else 0.0,
        recall=right / wanted if wanted else 0.0,
    )


def _holds(belief: dict[str, Any]) -> bool:
    return (
        belief["epistemic_status"] != "superseded"
        and not belief["resolved_at"]
        and belief["user_id"] == "test-user"
    )


def _text(belief: dict[str, Any]) -> str:
    names = [belief["canonical_name"].replace("_", " "), *belief["aliases"]]
    return clean(f"{belief['content']} ({', '.join(names)})")


def _json(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return read
