"""Says statements in turn in one namespace and tells which of them are live, without dbt."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from pair_harness import ROOT, Row, connection, macros


@dataclass(frozen=True, slots=True)
class Closing:
    """A statement that gave way to another, and why."""

    earlier: str
    later: str
    why: str


def _rows(seed: str) -> list[Row]:
    with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf8", newline="") as lines:
        return [Row(row) for row in csv.DictReader(lines)]


def _words() -> list[Row]:
    return sorted(_rows("attribute_words"), key=lambda row: (-len(row["word"]), row["word"]))


def claims_sql(texts: str = "texts") -> str:
    """The select of all claims of a relation of texts."""
    sql = macros()
    patterns = sql["expanded_patterns"](_rows("attribute_patterns"), _words())
    clauses = sql["claim_clauses"](texts)
    return sql["attribute_claims"](
        f"({clauses})", "attributes", "attribute_words", "comparison_words", patterns
    )


def load(database: duckdb.DuckDBPyConnection, talks: Sequence[Sequence[str]]) -> None:
    """Make the relations of these talks: a namespace each, a text a day."""
    rows = [
        (f"{talk:05}-{place:03}", f"{talk}", text, place)
        for talk, texts in enumerate(talks)
        for place, text in enumerate(texts)
    ]
    database.execute(
        "create or replace table texts (content_hash varchar, namespace varchar,"
        " content varchar, place integer)"
    )
    database.execute(
        "insert into texts select unnest(?), unnest(?), unnest(?), unnest(?)",
        [list(column) for column in zip(*rows, strict=True)],
    )
    database.execute(
        "create or replace table statements as select content_hash as memory_id,"
        " content_hash as event_id, namespace as session_id,"
        " timestamp '2025-06-01' + interval 1 day * place as occurred_at from texts"
    )


def closings(talks: Sequence[Sequence[str]]) -> list[list[Closing]]:
    """What gave way to what in each talk, by attributes and by pairs."""
    sql = macros()
    with connection() as database:
        load(database, talks)
        database.execute(f"create table claims as {claims_sql()}")
        database.execute(
            "create view memory_claims as select claims.content_hash as memory_id,"
            " texts.namespace, claims.* from claims inner join texts using (content_hash)"
        )
        database.execute(
            "create table tokens as " + sql["significant_tokens"]("texts", "comparison_words")
        )
        database.execute(
            "create view pairs as select earlier.content_hash as earlier_id,"
            " later.content_hash as later_id, earlier.content_hash as earlier_content_hash,"
            " later.content_hash as later_content_hash, 0.97 as similarity from texts as earlier"
            " inner join texts as later on earlier.namespace = later.namespace"
            " and earlier.place < later.place"
        )
        rows = database.execute(
            "with found as (select earlier_id, later_id, explanation from ("
            + sql["attribute_rivals"]("memory_claims", "statements")
            + ") union all select earlier_id, later_id, pair_class || ': ' || reason from ("
            + sql["pair_classification"]("pairs", "tokens", "pair_rules")
            + ") where pair_class <> 'different')"
            " select earlier.namespace, earlier.content, later.content, found.explanation"
            " from found inner join texts as earlier on found.earlier_id = earlier.content_hash"
            " inner join texts as later on found.later_id = later.content_hash order by all"
        ).fetchall()
    found: list[list[Closing]] = [[] for _ in talks]
    for talk, earlier, later, why in rows:
        found[int(talk)].append(Closing(earlier, later, why))
    return found


def claims(texts: Sequence[str]) -> list[tuple[object, ...]]:
    """What each text claims: text, attribute, subject, value, category, stance, is a change."""
    with connection() as database:
        load(database, [texts])
        return database.execute(
            "select content, attribute, subject_key, value_key, category, stance, is_change,"
            f" is_former from ({claims_sql()}) inner join texts using (content_hash) order by all"
        ).fetchall()
