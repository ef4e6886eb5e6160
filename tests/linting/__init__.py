"""What stands in for dbt while sqlfluff renders the project's SQL.

Linting needs no store, no adapter and no parse of the project: the templater of `.sqlfluff` puts
the names of this module beside the macros. Vars come from dbt_project.yml.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from jinja2 import pass_context
from jinja2.runtime import Context

_PROJECT = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "dbt_project.yml").read_text(encoding="utf-8")
)
_VARS: dict[str, Any] = _PROJECT["vars"]["ebbing"]


class _Adapter:
    @pass_context
    def dispatch(self, context: Context, name: str, package: str = "ebbing") -> Any:
        """Find the macro for DuckDB, or else the default one."""
        return context.get(f"duckdb__{name}") or context[f"default__{name}"]


adapter = _Adapter()
execute = False
exceptions = SimpleNamespace(raise_compiler_error=lambda message: message)
target = SimpleNamespace(schema="main", database="memory")


def var(name: str, default: Any = None) -> Any:
    """Return a var of the project."""
    return _VARS.get(name, default)


def active_embedding_model_row() -> None:
    """No store, no model."""


def embedding_dimension() -> int:
    """Return the dimension before a model is recorded."""
    return int(_VARS["embedding_dimension"])


def extraction_rules(words: object) -> list[dict[str, Any]]:
    """One rule, so that what is made of each is linted."""
    return [
        {
            "rule_id": "en-rule",
            "language": "en",
            "kind": "fact",
            "form": "statement",
            "rank": 1,
            "pattern": "i live in (.+)",
            "template": "User lives in {1}",
            "priority": "1",
        }
    ]


def extraction_exclusions(words: object) -> list[dict[str, str]]:
    """One exclusion of each sort."""
    return [
        {"pattern_id": "question", "applies_to": "statement", "pattern": "[?]"},
        {"pattern_id": "example", "applies_to": "rest_of_message", "pattern": "for example"},
    ]


def extraction_words() -> dict[str, dict[str, str]]:
    """One list."""
    return {"en": {"family": "wife|husband"}}


def episode_exclusions() -> list[dict[str, str]]:
    """One exclusion."""
    return [{"pattern_id": "thanks", "pattern": "^thanks$"}]


def rules_fingerprint(rules: object, exclusions: object, words: object) -> str:
    """Any text."""
    return "fingerprint"


def attribute_patterns() -> list[dict[str, str]]:
    """One pattern."""
    return [
        {
            "pattern_id": "home",
            "language": "en",
            "attribute": "home",
            "stance": "asserts",
            "pattern": "(.+ )?lives in (.+)",
            "subject": "{1}",
            "value": "{2}",
            "former": "",
            "value_pattern": "",
            "subject_pattern": "",
            "unless": "",
        }
    ]


def attributes_fingerprint(patterns: object) -> str:
    """Any text."""
    return "'fingerprint'"


def settled_measures(text: str) -> str:
    """The text itself: a lambda of two names is no SQL that the linter reads."""
    return text


def last_built_position() -> int:
    """Nothing was built."""
    return 0


def settings_fingerprint() -> str:
    """Any text."""
    return "'fingerprint'"


def has_rows(query: str) -> bool:
    """Something to do, so that what is done is linted."""
    return True


def where_changed(key: str) -> str:
    """What stands in an incremental run, so that it is linted."""
    return f"where {key} in (select changed.memory_id from int_memories_changed as changed)"


def local_md5(value: str) -> str:
    """Any text."""
    return "md5"


globals()["return"] = lambda value: value
