"""What the SQL makes of two close memories: the same, an update, or different."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from pair_harness import (
    Labelled,
    Pair,
    Verdict,
    classify,
    connection,
    labelled_pairs,
    load_pairs,
    macros,
)

CLASSES = ("same", "update", "different")

# Just below what is measured; a wrong merge is worse than a missed one.
PRECISION_FLOOR = {"same": 0.97, "update": 0.97, "different": 0.90}
RECALL_FLOOR = {"same": 0.88, "update": 0.88, "different": 0.98}


@pytest.fixture(scope="module")
def measured() -> list[tuple[Labelled, Verdict]]:
    """Every labelled pair with its verdict."""
    labelled = labelled_pairs()
    return list(zip(labelled, classify([one.pair for one in labelled]), strict=True))


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the seed."""
    with connection() as opened:
        yield opened


def pair_class(earlier: str, later: str, similarity: float = 0.95) -> str:
    """The class of one pair."""
    return classify([Pair(earlier, later, similarity)])[0].pair_class


def test_there_are_enough_labelled_pairs() -> None:
    labelled = labelled_pairs()
    assert len(labelled) >= 180
    assert sum(one.language == "zh" for one in labelled) >= 70
    assert {one.label for one in labelled} == set(CLASSES)
    assert len({one.pair_id for one in labelled}) == len(labelled)
    test_share = sum(one.split == "test" for one in labelled) / len(labelled)
    assert 0.3 < test_share < 0.5


@pytest.mark.parametrize("split", ["tune", "test"])
@pytest.mark.parametrize("label", CLASSES)
def test_precision_and_recall(
    measured: list[tuple[Labelled, Verdict]], split: str, label: str
) -> None:
    for language in ("en", "zh", "both"):
        rows = [
            (one.label, verdict.pair_class)
            for one, verdict in measured
            if one.split == split and language in ("both", one.language)
        ]
        right = sum(a == b == label for a, b in rows)
        said = sum(b == label for _, b in rows)
        true = sum(a == label for a, _ in rows)
        print(
            f"{split} {language} {label}: precision {right}/{said} = {right / said:.3f},"
            f" recall {right}/{true} = {right / true:.3f}"
        )
    assert right / said >= PRECISION_FLOOR[label]
    assert right / true >= RECALL_FLOOR[label]


def test_d1_the_same_text_is_the_same_memory() -> None:
    assert pair_class("The router IP is 192.168.7.1", "the router IP is 192.168.7.1.") == "same"


def test_d2_a_changed_address_is_an_update_and_says_why() -> None:
    verdict = classify([Pair("router IP is 192.168.7.1", "router IP is 192.168.9.1", 0.99)])[0]
    assert verdict.pair_class == "update"
    assert verdict.reason == "differs in a number: 192.168.7.1 -> 192.168.9.1"


def test_d3_two_runs_are_two_memories() -> None:
    assert pair_class("run 14: p95 212 ms", "run 15: p95 389 ms", 0.99) == "different"
    assert pair_class("run 14: p95 212 ms", "run 15: p95 212 ms", 0.99) == "different"
    assert pair_class("run 14: p95 212 ms", "run 14: p95 230 ms", 0.99) == "update"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("User lives in Hangzhou", "The user currently lives in Hangzhou."),
        ("User lives in Hangzhou", "The user resides in Hangzhou"),
        ("User lives in Hangzhou", "I live in Hangzhou"),
        ("User lives in Hangzhou", "The user's home is in Hangzhou"),
        ("用户住在杭州", "我现在居住在杭州。"),
    ],
)
def test_d5_a_reworded_fact_is_the_same(earlier: str, later: str) -> None:
    assert pair_class(earlier, later) == "same"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The standup is at 3 pm", "The standup is at 15:00"),
        ("The shop opens at 9:30 a.m.", "The shop opens at 09:30"),
        ("Upload limit is 1 GB", "Upload limit is 1024 MB"),
        ("The job takes 120 minutes", "The job takes 2 h"),
        ("The bridge is 1.5 km long", "The bridge is 1500 m long"),
        ("站会是下午三点", "站会是15:00"),
    ],
)
def test_equal_values_are_no_update(earlier: str, later: str) -> None:
    assert pair_class(earlier, later) == "same"


def test_values_that_only_look_equal_differ() -> None:
    assert pair_class("The standup is at 3 pm", "The standup is at 3 am") == "update"
    assert pair_class("Upload limit is 1 GB", "Upload limit is 1000 KB") == "update"
    assert pair_class("User has a meeting on Monday", "User has a meeting every Monday") == (
        "different"
    )


def test_a_habit_in_five_wordings_is_one_memory() -> None:
    wordings = [
        "The user deploys every Thursday evening",
        "User deploys on Thursday evenings",
        "Every Thursday evening the user deploys",
        "The user usually deploys each Thursday evening",
        "The user does deployments every Thursday evening",
    ]
    pairs = [Pair(wordings[0], wording, 0.95) for wording in wordings[1:]]
    assert [verdict.pair_class for verdict in classify(pairs)] == ["same"] * 4


def test_d6_two_facts_in_one_style_are_different() -> None:
    assert pair_class("User likes tea", "User likes jazz", 0.99) == "different"
    assert pair_class("User likes tea", "User likes green tea", 0.99) == "different"
    assert pair_class("Alice's phone is 555-0101", "Bob's phone is 555-0102") == "different"
    assert pair_class("Alice manages Bob", "Bob manages Alice", 0.999) == "different"


def test_h1_each_turn_of_a_habit_supersedes_the_one_before() -> None:
    drinks = "drinks green tea"
    paused = "is not drinking green tea at the moment"
    stopped = "stopped green tea"
    coffee = "started coffee"
    assert pair_class(drinks, paused) == "update"
    assert pair_class(drinks, stopped) == "update"
    assert pair_class(paused, stopped) == "update"
    assert pair_class(stopped, "started green tea again") == "update"
    for earlier in (drinks, paused, stopped):
        assert pair_class(earlier, coffee) == "different"
    assert pair_class("用户喝绿茶", "用户不再喝绿茶") == "update"
    assert pair_class("用户喝绿茶", "用户戒了绿茶") == "update"
    assert pair_class("用户喝绿茶", "用户开始喝咖啡") == "different"


def test_h3_only_the_rename_closes_a_name() -> None:
    assert pair_class("A uses B", "B uses C") == "different"
    assert pair_class("A uses B", "C was renamed to D") == "different"
    assert pair_class("B uses C", "C was renamed to D") == "different"
    assert pair_class("The service is called C", "C was renamed to D") == "update"
    assert pair_class("The service is called B", "C was renamed to D") == "different"


def test_similarity_alone_decides_nothing() -> None:
    assert pair_class("User likes tea", "User likes jazz", 1.0) == "different"
    assert pair_class("Gina sells clothes", "Gina sells her clothes", 0.99) == "same"
    assert pair_class("Gina sells clothes", "Gina sells her clothes", 0.90) == "different"


def test_odd_texts_have_a_class_and_one_row() -> None:
    odd = ["", "   ", "...", "the", "🙂", "';--", "不", "a" * 10_000, "x " * 500, "50% C++ a_b"]
    pairs = [Pair(text, "User likes tea") for text in odd]
    pairs += [Pair("User likes tea", text) for text in odd]
    verdicts = classify(pairs)
    assert [verdict.pair_class for verdict in verdicts] == ["different"] * len(pairs)


def test_texts_without_a_word_to_compare_are_never_merged() -> None:
    assert pair_class("🙂", "🙃") == "different"
    assert pair_class("the", "a") == "different"


def test_every_pair_is_classified_once(database: duckdb.DuckDBPyConnection) -> None:
    pairs = [one.pair for one in labelled_pairs()]
    sql = macros()
    load_pairs(database, pairs)
    database.execute(
        "create or replace table tokens as "
        + sql["significant_tokens"]("texts", "comparison_words")
    )
    (texts,) = database.execute("select count(*) from texts").fetchone() or (0,)
    (tokens,) = database.execute("select count(*) from tokens").fetchone() or (0,)
    assert tokens == texts
    (rows,) = database.execute(
        "select count(*) from (" + sql["pair_classification"]("pairs", "tokens", "pair_rules") + ")"
    ).fetchone() or (0,)
    assert rows == len(pairs)
