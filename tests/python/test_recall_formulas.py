"""The arithmetic of recall, formula by formula, as the macros write it."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
VARS = yaml.safe_load((ROOT / "dbt_project.yml").read_text("utf-8"))["vars"]["ebbing"]


def macro(name: str) -> Any:
    environment = jinja2.Environment(autoescape=False)
    environment.globals["var"] = VARS.__getitem__
    source = (ROOT / "macros" / "recall" / f"{name}.sql").read_text("utf-8")
    return getattr(environment.from_string(source).module, name)


def value(expression: str) -> float | None:
    row = duckdb.sql(f"select cast({expression} as double)").fetchone()
    assert row is not None
    return None if row[0] is None else float(row[0])


def relevance(vector: str, words: str, *, terms: str = "true", across: str = "false") -> Any:
    return value(macro("relevance")(f"cast({vector} as double)", words, terms, across))


def test_relevance_is_half_cosine_half_words() -> None:
    assert relevance("0.4", "0.2") == pytest.approx(0.3)
    # Less than unrelated is no less.
    assert relevance("-0.4", "0.2") == pytest.approx(0.1)


def test_without_a_vector_half_the_words_stand_in_its_place() -> None:
    assert relevance("null", "0.8") == pytest.approx(0.6)
    assert relevance("null", "0.8", terms="false") == 0.0


def test_across_scripts_the_vector_speaks_alone_unless_words_say_more() -> None:
    assert relevance("0.4", "0.0", across="true") == pytest.approx(0.4)
    assert relevance("0.4", "0.0") == pytest.approx(0.2)
    assert relevance("0.1", "0.9", across="true") == pytest.approx(0.5)
    assert relevance("null", "0.8", across="true") == pytest.approx(0.6)


def test_a_centred_cosine_is_that_of_what_is_left_without_the_means() -> None:
    # p = (0.6, 0.8), c = (0.6, 0), q - g = (0, 2): p - c is 0.8 long, and so is the spread.
    found = macro("centred_similarity")("1.6", "0.0", "2.0", "0.8")
    assert value(found) == pytest.approx(1.0)
    assert value(macro("centred_similarity")("null", "0.0", "2.0", "0.8")) is None
    assert value(macro("centred_similarity")("1.6", "0.0", "0.0", "0.8")) is None


def test_standing_out_is_counted_in_deviations_beyond_the_best_of_so_many() -> None:
    found = macro("standing_out")("0.5", "background", "0.1")
    background = "(select 90 as memory_count, 0.0 as total, 0.9 as total_of_squares) as background"
    row = duckdb.sql(f"select {found} from {background}").fetchone()
    # Ninety with a deviation of 0.1, and ten that are assumed to have the same.
    assert row == pytest.approx((0.5 / sqrt((0.9 + 10 * 0.01) / 100) - 0.5 * log(90),))


def test_a_scope_of_one_is_judged_by_the_generic_background() -> None:
    found = macro("standing_out")("0.2", "background", "0.1")
    background = "(select 1 as memory_count, 0.2 as total, 0.04 as total_of_squares) as background"
    row = duckdb.sql(f"select {found} from {background}").fetchone()
    assert row is not None
    assert 1.5 < row[0] < 2.0


def test_neighbours_stretch_and_speaker_lift_a_memory_by_their_shares() -> None:
    context = macro("relevance_in_context")
    assert value(context("0.58", "0.0", "0.58", "false")) == pytest.approx(0.58 * 1.2 / 1.45)
    assert value(context("1.0", "1.0", "1.0", "true")) == pytest.approx(1.0)


def test_what_is_of_the_time_asked_about_is_lifted_and_the_rest_lowered() -> None:
    in_period = macro("relevance_in_period")("0.4", "true").replace(
        "asked_from", "date '2025-06-10'"
    )
    outside = macro("relevance_in_period")("0.4", "false").replace(
        "asked_from", "date '2025-06-10'"
    )
    unasked = macro("relevance_in_period")("0.4", "true").replace("asked_from", "null")
    assert value(in_period) == pytest.approx(0.55)
    assert value(outside) == pytest.approx(0.3)
    assert value(unasked) == pytest.approx(0.4)
