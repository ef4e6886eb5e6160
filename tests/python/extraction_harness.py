"""Runs the extraction macros and seeds on messages in memory, without dbt."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import yaml

ROOT = Path(__file__).parents[2]
MACROS = (ROOT / "macros" / "extraction", ROOT / "macros" / "time")
SEEDS = ROOT / "seeds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as the log holds it."""

    message_id: str
    content: str
    role: str = "user"
    occurred_at: str = "2025-06-10 09:00:00"
    speaker: str | None = None
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A memory that a rule made of a message."""

    message_id: str
    kind: str
    content: str
    rule_id: str


class _Adapter:
    """Stands in for dbt's adapter: a dispatch to the default macro."""

    def __init__(self) -> None:
        self.module: Any = None

    def dispatch(self, name: str, _project: str = "") -> Callable[..., str]:
        macro: Callable[..., str] = getattr(self.module, f"default__{name}")
        return macro


def macros() -> Any:
    """Return the extraction macros as callables that give SQL."""
    adapter = _Adapter()
    environment = jinja2.Environment(autoescape=False, extensions=["jinja2.ext.do"])
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text("utf-8"))
    environment.globals.update(
        {
            "adapter": adapter,
            "return": lambda value: value,
            "var": project["vars"]["ebbing"].__getitem__,
        }
    )
    paths = sorted(path for folder in MACROS for path in folder.glob("*.sql"))
    source = "\n".join(path.read_text("utf-8") for path in paths)
    adapter.module = environment.from_string(source).module
    return adapter.module


def _rows(seed: str) -> list[dict[str, str]]:
    with (SEEDS / f"{seed}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def word_lists() -> dict[str, dict[str, str]]:
    """Return the word lists as the macro `extraction_words` gives them."""
    lists: dict[str, dict[str, list[str]]] = {}
    for row in _rows("extraction_words"):
        words = lists.setdefault(row["language"], {}).setdefault(row["list_name"], [])
        words.append(row["word"])
    return {
        language: {
            name: "|".join(sorted(words, key=lambda word: (-len(word), word)))
            for name, words in named.items()
        }
        for language, named in lists.items()
    }


def _expanded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words, expand = word_lists(), macros().expanded_pattern
    return [{**row, "pattern": expand(row["pattern"], row["language"], words)} for row in rows]


def enabled_rules() -> list[dict[str, Any]]:
    """Return the rules as the macro `extraction_rules` gives them: the best first."""
    rules = [row for row in _rows("extraction_rules") if row["is_enabled"] == "true"]
    rules.sort(key=lambda row: (-int(row["priority"]), row["rule_id"]))
    return [{**row, "rank": rank} for rank, row in enumerate(_expanded(rules), start=1)]


def extraction_sql(messages: str = "user_messages") -> str:
    """Return the select of `extracted_statements` over a relation of messages."""
    sql: str = macros().extracted_statements(
        messages, enabled_rules(), _expanded(_rows("extraction_exclusions")), word_lists()
    )
    return sql


def connect(messages: Iterable[Message]) -> duckdb.DuckDBPyConnection:
    """Return a connection with the messages, and the user's alone as a view."""
    connection = duckdb.connect()
    connection.execute(
        "create table messages "
        "(message_id varchar, role varchar, content varchar, occurred_at timestamp, "
        "speaker varchar, is_dated boolean)"
    )
    rows = [
        (m.message_id, m.role, m.content, m.occurred_at, m.speaker, m.is_dated) for m in messages
    ]
    if rows:
        connection.executemany("insert into messages values (?, ?, ?, ?, ?, ?)", rows)
    connection.execute("create view user_messages as select * from messages where role = 'user'")
    return connection


def run_extraction(messages: Iterable[Message]) -> list[Statement]:
    """Return what the rules make of the messages, in order."""
    connection = connect(messages)
    rows = connection.execute(
        "select message_id, kind, content, rule_id "
        f"from ({extraction_sql()}) order by message_id, statement_seq"
    ).fetchall()
    connection.close()
    return [
        Statement(message_id=message_id, kind=kind, content=content, rule_id=rule_id)
        for message_id, kind, content, rule_id in rows
    ]


def split_sentences(text: str) -> list[str]:
    """Return the sentences that the macro `sentences` finds in a text."""
    connection = duckdb.connect()
    (found,) = connection.execute(
        f"select {macros().sentences('content')} from (select ? as content)", [text]
    ).fetchone() or ([],)
    connection.close()
    return list(found)
