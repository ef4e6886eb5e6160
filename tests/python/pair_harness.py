"""Renders the consolidation macros into an in-memory DuckDB, without dbt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import jinja2

ROOT = Path(__file__).resolve().parents[2]
MACROS = ROOT / "macros" / "consolidation"
LABELS = ROOT / "tests" / "fixtures" / "pair_labels.jsonl"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of one namespace, and how close an embedding finds them."""

    earlier: str
    later: str
    similarity: float = 0.98


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair whose class a person has decided."""

    pair_id: str
    split: str
    language: str
    label: str
    pair: Pair


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the SQL says of a pair."""

    pair_class: str
    earlier_tokens: str
    later_tokens: str
    reason: str


def labelled_pairs() -> list[Labelled]:
    """The labelled fixture set, in its order."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf8").splitlines()]
    return [
        Labelled(
            pair_id=row["id"],
            split=row["split"],
            language=row["language"],
            label=row["label"],
            pair=Pair(row["earlier"], row["later"], row["similarity"]),
        )
        for row in rows
    ]


class _Adapter:
    """Stands in for dbt's adapter: DuckDB's variant of a macro, or the default."""

    def __init__(self, macros: dict[str, Any]) -> None:
        self._macros = macros

    def dispatch(self, name: str, package: str) -> Any:
        return self._macros.get(f"duckdb__{name}") or self._macros[f"default__{name}"]


def macros(variables: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Every macro of the consolidation folder, ready to be called for its SQL."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)
    found: dict[str, Any] = {}
    given = dict(variables or {})
    environment.globals.update(
        adapter=_Adapter(found),
        var=lambda name, default=None: given.get(name, default),
    )
    environment.globals["return"] = lambda value: value
    sources = [path.read_text(encoding="utf8") for path in sorted(MACROS.glob("*.sql"))]
    module = environment.from_string("\n".join(sources)).module
    for name, value in vars(module).items():
        if not name.startswith("_"):
            found[name] = value
    return found


def connection() -> duckdb.DuckDBPyConnection:
    """A database that holds the seed alone."""
    database = duckdb.connect(config={"threads": 2})
    database.execute(
        "create table comparison_words as select * from read_csv(?, header = true,"
        " nullstr = '', all_varchar = true, quote = '\"')",
        [str(ROOT / "seeds" / "comparison_words.csv")],
    )
    return database


def load_pairs(database: duckdb.DuckDBPyConnection, pairs: Iterable[Pair]) -> None:
    """Make the relations `texts` and `pairs` of these pairs."""
    database.execute(
        "create or replace table given"
        " (pair_number bigint, earlier varchar, later varchar, similarity double)"
    )
    rows = [(n, pair.earlier, pair.later, pair.similarity) for n, pair in enumerate(pairs)]
    database.execute(
        "insert into given select unnest(?), unnest(?), unnest(?), unnest(?)",
        [list(column) for column in zip(*rows, strict=True)],
    )
    database.execute(
        "create or replace table texts as"
        " select sha256(content) as content_hash, content from"
        " (select earlier as content from given union select later from given)"
    )
    database.execute(
        "create or replace table pairs as select"
        " 'mem_' || pair_number as earlier_id, 'mem_later_' || pair_number as later_id,"
        " sha256(earlier) as earlier_content_hash, sha256(later) as later_content_hash,"
        " similarity, pair_number from given"
    )


def classify(
    pairs: Iterable[Pair], *, variables: Mapping[str, object] | None = None
) -> list[Verdict]:
    """What the SQL says of each pair, in order."""
    sql = macros(variables)
    with connection() as database:
        load_pairs(database, pairs)
        database.execute(
            "create table tokens as " + sql["significant_tokens"]("texts", "comparison_words")
        )
        rows = database.execute(
            "select verdicts.pair_class, verdicts.earlier_tokens, verdicts.later_tokens,"
            " verdicts.reason from ("
            + sql["pair_classification"]("pairs", "tokens")
            + ") as verdicts inner join pairs using (earlier_id, later_id)"
            " order by pairs.pair_number"
        ).fetchall()
    return [Verdict(*row) for row in rows]
