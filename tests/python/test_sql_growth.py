"""No text takes more than its length, in SQL either: twice the text, about twice the work."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path

import duckdb
import pytest

from extraction_harness import SEEDS, Message, macros, run_extraction, word_lists

# What begins something that may go on, and is not ended.
UNITS = (
    '"a" ',
    '"abc ',
    "“a「b『c《d",
    "`",
    "https://x ",
    "<memory ",
    "```\n",
    "\n> x",
    "a;\n",
    "from: a\n",
    "my name is ",
    "i'm and i ",
    "我叫，",
    "e.g. ",
    "a, how ",
    " ",
    "x",
)
LENGTH = 12_000


def seconds(connection: duckdb.DuckDBPyConnection, sql: str, text: str) -> float:
    taken = []
    for _ in range(2):
        begun = time.process_time()
        connection.execute(sql, [text]).fetchall()
        taken.append(time.process_time() - begun)
    return min(taken)


def assert_grows_with_its_length(expression: str, length: int = LENGTH) -> None:
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        sql = f"select {expression} from (select ?::varchar as content)"
        for unit in UNITS:
            text = unit * (2 * length // len(unit))
            once = seconds(connection, sql, text[:length])
            # Below so many seconds the clock says more than the text does.
            assert seconds(connection, sql, text) < 3 * once + 0.1, unit


@pytest.mark.parametrize("macro", ["readable_text", "opaque_spans", "masked_text", "sentences"])
def test_a_message_is_split_in_time_that_follows_its_length(macro: str) -> None:
    assert_grows_with_its_length(f"len({getattr(macros(), macro)('content')})")


@pytest.mark.parametrize(
    "seed",
    ["extraction_rules", "extraction_exclusions", "episode_exclusions", "attribute_patterns"],
)
def test_every_pattern_of_a_seed_takes_time_that_follows_the_text(seed: str) -> None:
    words, own = word_lists(), macros()
    with (Path(SEEDS) / f"{seed}.csv").open(encoding="utf-8", newline="") as lines:
        patterns = [
            own.expanded_pattern(row["pattern"], row.get("language") or "en", words)
            for row in csv.DictReader(lines)
        ]
    # Planning hundreds of patterns costs more than matching them: all texts in one go.
    matched = " + ".join(
        f"regexp_matches(content, {own.text_literal('(?i)' + pattern)})::integer"
        for pattern in patterns
        if not re.search(r"\{[a-z]", pattern)
    )
    taken = []
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        for length in (600, 1_200, 2_400):
            texts = [(unit * length)[:length] for unit in UNITS]
            begun = time.process_time()
            connection.execute(
                f"select sum({matched}) from (select unnest(?::varchar[]) as content)", [texts]
            ).fetchall()
            taken.append(time.process_time() - begun)
    # The first plans too; what is added for twice the text is at most about twice as much.
    assert taken[2] - taken[0] < 4 * abs(taken[1] - taken[0]) + 0.5, taken


def test_both_ends_of_millions_of_characters_are_read_and_quotes_come_back() -> None:
    long = "My name is Lin.\n" + "The build is green again. " * 100_000 + "\nI live in Leeds."
    quoted = 'My name is "Lin Bo". I live in `Leeds`. I prefer “tabs” over "spaces".'
    begun = time.process_time()
    found = run_extraction(
        [Message(message_id="m", content=long), Message(message_id="n", content=quoted)]
    )
    assert time.process_time() - begun < 60
    assert [(one.message_id, one.content) for one in found] == [
        ("m", "User's name is Lin"),
        ("m", "User lives in Leeds"),
        ("n", 'User\'s name is "Lin Bo"'),
        ("n", "User lives in `Leeds`"),
        ("n", 'User prefers “tabs” over "spaces"'),
    ]
