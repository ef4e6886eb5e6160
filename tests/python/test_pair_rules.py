"""Each rule of the pair classification holds where it should, and not for its near miss."""

from __future__ import annotations

import csv

import pytest

from pair_harness import ROOT, Pair, classify

Texts = tuple[str, str]

# Of each rule: a pair that it decides, and one close to it that it must not.
RULES: dict[str, tuple[Texts, Texts]] = {
    "has_no_words": (("the", "Ana drinks tea"), ("tea", "Ana drinks tea")),
    "has_same_words": (
        ("User lives in Leeds", "I currently live in Leeds"),
        ("User lives in Leeds", "Ana lives in Leeds"),
    ),
    "has_turned_words": (
        ("The user deploys on Fridays", "On Fridays the user deploys"),
        ("Ana manages Tom", "Tom manages Ana"),
    ),
    "adds_possessive": (
        ("Gina sells clothes", "Gina sells her clothes"),
        ("Gina sells his clothes", "Gina sells her clothes"),
    ),
    "turns_polarity": (
        ("Ana drinks tea", "Ana no longer drinks tea"),
        ("Ana drinks tea", "Ana no longer drinks coffee"),
    ),
    "renames": (
        ("The service is called Basil", "Basil was renamed to Thyme"),
        ("The service uses Basil", "Basil was renamed to Thyme"),
    ),
    "changes_attribute_number": (
        ("The default port is 8080", "The default port is 9090"),
        ("The default bug 14 is red", "The default bug 15 is red"),
    ),
    "changes_number_after_is": (
        ("The bridge is 40 m long", "The bridge is 50 m long"),
        ("Room 40 is free", "Room 50 is free"),
    ),
    "changes_count": (
        ("User has two cats", "User has three cats"),
        ("User saw two cats", "User saw three cats"),
    ),
    "changes_quantity": (
        ("The build takes 14 minutes", "The build takes 12 minutes"),
        ("The team takes bus 14", "The team takes bus 12"),
    ),
    "changes_attribute_value": (
        ("Ana lives in Leeds", "Ana lives in York"),
        ("Ana lives in Leeds", "Ana lives in peace"),
    ),
    "changes_value_in_role": (
        ("User uses Vim as the primary editor", "User uses Zed as the primary editor"),
        ("User uses Vim for notes", "User uses Zed for notes"),
    ),
    "none": (
        ("User likes tea", "User likes jazz"),
        ("User likes tea", "User dislikes tea"),
    ),
}


def test_every_rule_of_the_seed_has_its_pair_and_its_near_miss() -> None:
    with (ROOT / "seeds" / "pair_rules.csv").open(encoding="utf8", newline="") as lines:
        assert [row["rule"] for row in csv.DictReader(lines)] == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_decides_its_pair_and_not_the_near_miss(rule: str) -> None:
    fires, misses = (Pair(*texts, 0.99) for texts in RULES[rule])
    decided, spared = classify([fires, misses])
    assert decided.rule == rule
    assert spared.rule != rule


def test_a_reason_is_told_from_either_side() -> None:
    (verdict,) = classify([Pair("The default port is 8080", "The default port is 9090")])
    assert verdict.reason == "differs in a number: 8080 -> 9090"
    assert verdict.reverse_reason == "differs in a number: 9090 -> 8080"
