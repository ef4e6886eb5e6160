"""What was said last of a thing is what is so: changes close the stale memory, and nothing else."""

from __future__ import annotations

import json
from functools import cache

import pytest

from currency_harness import Closing, claims, closings
from pair_harness import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "currency.jsonl"

# A change (or an end) closes the earlier memory; a trap closes nothing.
LEAST_CLOSED = {"tune": 0.96, "test": 0.95, "last": 0.92}


@cache
def measured() -> list[tuple[dict[str, str], list[Closing]]]:
    """Every row of the fixtures with what gave way in it."""
    rows = [json.loads(line) for line in FIXTURES.read_text(encoding="utf8").splitlines()]
    found = closings([[row["earlier"], row["later"]] for row in rows])
    return list(zip(rows, found, strict=True))


def is_closed(row: dict[str, str], found: list[Closing]) -> bool:
    """Whether the earlier memory of a row gave way to the later."""
    return any(one.earlier == row["earlier"] and not one.why.startswith("same") for one in found)


def closed_by(*texts: str) -> dict[str, str]:
    """Of texts said in turn, which gave way to which."""
    (found,) = closings([texts])
    return {one.earlier: one.later for one in found if not one.why.startswith("same")}


@pytest.mark.parametrize("split", LEAST_CLOSED)
def test_a_change_closes_what_was_so_before(split: str) -> None:
    for language in ("en", "zh", None):
        closed = [
            is_closed(row, found)
            for row, found in measured()
            if row["split"] == split
            and row["kind"] != "trap"
            and language in (None, row["language"])
        ]
        print(f"{split} {language or 'both'}: {sum(closed)} of {len(closed)} changes closed")
    assert sum(closed) / len(closed) >= LEAST_CLOSED[split]


def test_no_trap_closes_anything() -> None:
    traps = [(row, found) for row, found in measured() if row["kind"] == "trap"]
    assert len(traps) >= 200
    assert [row["id"] for row, found in traps if is_closed(row, found)] == []


def test_each_value_gives_way_to_the_next_one_stated() -> None:
    assert closed_by("User lives in Leeds", "User moved to York", "User lives in Bath now") == {
        "User lives in Leeds": "User moved to York",
        "User moved to York": "User lives in Bath now",
    }


def test_a_memory_of_two_facts_does_not_go_for_one_of_them() -> None:
    both = "User lives in Leeds and works at Nord"
    assert closed_by(both, "User moved to York") == {}
    assert closed_by("User lives in Leeds, near the station", "User moved to York") != {}


def test_an_event_of_a_year_stays() -> None:
    assert closed_by("User moved to Leeds in 2015", "User moved to York in 2019") == {}
    assert closed_by("User has lived in Leeds since 2015", "User moved to York") != {}


def test_who_was_named_first_is_meant_on() -> None:
    assert ("Dana lives in Kent and works at Nord", "employer", "dana", "nord") in {
        row[:4] for row in claims(["Dana lives in Kent and works at Nord"])
    }


def test_hopes_questions_and_conditions_claim_nothing() -> None:
    said = [
        "User might move to York",
        "User wants to live in York",
        "If I lived in York I would cycle",
        "Do I live in York?",
        "用户想搬到天津",
        "我住在哪里",
        "要是我住在天津就好了",
    ]
    assert claims(said) == []


def test_a_denial_closes_what_it_denies_and_no_more() -> None:
    assert closed_by("User plays squash", "User plays chess", "User gave up squash") == {
        "User plays squash": "User gave up squash"
    }
    assert closed_by("User drinks coffee", "User does not drink coffee after noon") == {}


def test_an_explicit_correction_finds_what_it_corrects() -> None:
    for wrong, right in (
        ("My dentist is Dr. Wu", "No, my dentist is Dr. Bell, not Dr. Wu"),
        ("The db user is stock", "right, the db user is stock_app, not stock"),
        ("I live in Leeds", "I live in Leipzig, not Leeds"),
        ("I live in Leeds", "Sorry, I meant Leipzig"),
        ("User lives in Leeds", "User meant Leipzig"),
        ("测试账号是小王", "测试账号是小李，不是小王"),
        ("我住在天津", "说错了，我是说南京"),
    ):
        assert closed_by("User has a cat", wrong, right) == {wrong: right}
    assert closed_by("The db host is stock", "The db user is stock_app, not stock") == {}
