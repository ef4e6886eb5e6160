"""Renders the consolidation macros into an in-memory DuckDB, without dbt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import jinja2

ROOT = Path(__file__).resolve().parents[2]
MACROS = (
    *(ROOT / "macros" / "consolidation").glob("*.sql"),
    ROOT / "macros" / "lexical" / "stem_english.sql",
    ROOT / "macros" / "extraction" / "replaced_in_turn.sql",
    ROOT / "macros" / "extraction" / "text_literal.sql",
)
SEEDS = ("comparison_words", "pair_rules", "attributes", "attribute_words")
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
    rule: str
    earlier_tokens: str
    later_tokens: str
    reason: str
    reverse_reason: str


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


class Row(dict[str, str]):
    """A row of a seed whose columns are attributes, as the adapter's are."""

    def __getattr__(self, name: str) -> str:
        return self[name]


class _Adapter:
    """Stands in for dbt's adapter: DuckDB's variant of a macro, or the default."""

    def __init__(self, macros: dict[str, Any]) -> None:
        self._macros = macros

    def dispatch(self, name: str, package: str) -> Any:
        return self._macros.get(f"duckdb__{name}") or self._macros[f"default__{name}"]


class _Returned(Exception):
    """What dbt's `return` raises: the value goes to the macro's caller."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


def _return(value: object) -> None:
    raise _Returned(value)


def _call(found: Mapping[str, Any], name: str, *arguments: object, **named: object) -> Any:
    try:
        return found[name](*arguments, **named)
    except _Returned as returned:
        return returned.value


def macros(variables: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Every macro that consolidation needs, ready to be called for its SQL."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)
    found: dict[str, Any] = {}
    given = dict(variables or {})
    environment.globals.update(
        adapter=_Adapter(found),
        var=lambda name, default=None: given.get(name, default),
    )
    environment.globals["return"] = _return
    sources = [path.read_text(encoding="utf8") for path in sorted(MACROS)]
    # A template sees the globals that were there before it: bound late, by name.
    for name in re.findall(r"macro (\w+)\(", "\n".join(sources)):
        environment.globals[name] = partial(_call, found, name)
    for source in sources:
        for name, value in vars(environment.from_string(source).module).items():
            if not name.startswith("_"):
                found[name] = value
    return {name: partial(_call, found, name) for name in found}


def connection() -> duckdb.DuckDBPyConnection:
    """A database that holds the seeds alone."""
    database = duckdb.connect(config={"threads": 2})
    for seed in SEEDS:
        database.execute(
            f"create table {seed} as select * from read_csv(?, header = true,"
            " nullstr = '', all_varchar = true, quote = '\"')",
            [str(ROOT / "seeds" / f"{seed}.csv")],
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
    pairs: Iterable[Pair],
    *,
    variables: Mapping[str, object] | None = None,
    without_role: str | None = None,
) -> list[Verdict]:
    """What the SQL says of each pair, in order, if need be without the words of one role."""
    sql = macros(variables)
    with connection() as database:
        database.execute(
            "delete from comparison_words where role = coalesce(?, '')", [without_role]
        )
        load_pairs(database, pairs)
        database.execute(
            "create table tokens as " + sql["significant_tokens"]("texts", "comparison_words")
        )
        rows = database.execute(
            "select verdicts.pair_class, verdicts.rule, verdicts.earlier_tokens,"
            " verdicts.later_tokens, verdicts.reason, verdicts.reverse_reason from ("
            + sql["pair_classification"]("pairs", "tokens", "pair_rules")
            + ") as verdicts inner join pairs using (earlier_id, later_id)"
            " order by pairs.pair_number"
        ).fetchall()
    return [Verdict(*row) for row in rows]
