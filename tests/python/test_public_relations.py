"""Python reads what is public; the journal's events and what erasure must reach are named here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from ebbing.project import CHECKOUT

PACKAGE = CHECKOUT / "python" / "ebbing"
MODELS = CHECKOUT / "models"

# The runner's own affairs, which it must know where nothing is built yet; writing, copying and
# erasing events, and the tail, which is written with them; and what holds a text, for erasure.
# A room stands for all of its modules.
ALLOWED = {
    "journal": {
        "journal",
        "internal.recall_tail",
        "internal.recall_tail_after",
        "internal.recall_tail_said_after",
    },
    "store/store.py": {"journal.store_settings"},
    # Every event once more, and whether each can be read.
    "store/mirror.py": {"journal"},
    "maintenance/repair.py": {"journal"},
    "embedding/model.py": {"journal.embedding_models"},
    # What is about to be written, as it was written before.
    "ingest/ingestion.py": {"journal.messages"},
    "llm_extraction/unread.py": {"journal.runs", "journal.messages"},
    "maintenance/doctor.py": {"journal.memory_writes", "internal.stg_journal__set_aside"},
    "remote": {"journal"},
    "erasure": {
        "journal",
        "internal.int_memory_canonicals",
        "internal.int_statements_extracted",
        # Its own, for as long as it works.
        "internal.int_episodes",
        "internal.messages_to_erase",
        "internal.passages_to_erase",
        "internal.statements_to_erase",
    },
    "maintenance/freshness.py": {
        "journal.runs",
        "journal.embedding_models",
        "internal.int_journal_position",
        "internal.int_settings",
        "internal.last_build",
    },
    "maintenance/maintain.py": {"journal.runs"},
    "maintenance/replay.py": {"journal"},
    "maintenance/envelope.py": {"journal"},
    "maintenance/export.py": {"journal"},
    "maintenance/importing.py": {"journal"},
}

_QUALIFIED = re.compile(r"(?<![\w.])(?:internal|journal|staging)\.[a-z_]*")
_RELATION = re.compile(r"\b(?:from|join)\s+([a-z_]+)\b", re.IGNORECASE)


def private_models() -> set[str]:
    """The models that aren't public: in no room of public ones, and no function for all."""
    public = {
        file.stem
        for room in ("marts", "current", "reports")
        for file in MODELS.glob(f"{room}/*.sql")
    } | {
        file.stem
        for file in MODELS.glob("recall/*.sql")
        if "access='public'" in file.read_text("utf-8")
    }
    return {file.stem for file in MODELS.rglob("*.sql")} - public


def texts(code: str) -> Iterator[str]:
    """Every text in a module but docstrings; what is filled in later is cut out."""
    tree = ast.parse(code)
    silent = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in silent and node not in inside:
                yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "" for part in node.values
            )


def private_names(code: str) -> set[str]:
    """Return what a module's statements name of the rooms behind the public relations.

    Without its schema nothing there is found; a name without one is refused all the same.
    """
    found: set[str] = set()
    for text in texts(code):
        found.update(_QUALIFIED.findall(text))
        found.update(name for name in _RELATION.findall(text) if name in private_models())
    return found


MODULES = sorted(str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES)
def test_python_reads_public_relations_alone(module: str) -> None:
    allowed = ALLOWED.get(module, set()) | ALLOWED.get(module.split("/")[0], set())
    named = private_names((PACKAGE / module).read_text("utf-8"))
    assert {
        name for name in named if name not in allowed and name.partition(".")[0] not in allowed
    } == set()


def test_a_private_relation_is_seen_in_any_statement() -> None:
    for text, name in (
        ('X = "select 1 from internal.recall_tail"', "internal.recall_tail"),
        ('X = f"select {1} from int_memories where true"', "int_memories"),
        ('X = f"select 1 from journal.{table}"', "journal."),
        ('X = "select a from tasks join stg_journal__runs using (b)"', "stg_journal__runs"),
        ('X = "delete from journal.runs"', "journal.runs"),
    ):
        assert private_names(text) == {name}
    assert (
        private_names('"""Reads internal.x."""\nX = "with t as (select 1) select 1 from t"')
        == set()
    )
