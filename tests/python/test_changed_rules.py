"""What a changed rule finds is read, embedded and recalled by the maintenance that follows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ebbing import Memory
from ebbing.project import CHECKOUT


def test_what_a_new_rule_finds_has_its_vector_after_one_maintenance(
    store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(
        json.dumps({"session_id": "s", "role": "user", "content": "Zibble wug the frobnitz daily."})
    )
    memory = Memory(store_path)
    memory.ingest([log])
    memory.maintain()
    with memory.store.read() as connection:
        assert connection.execute("select message_id from unread_messages").fetchall() == []
    project = tmp_path / "project"
    project.mkdir()
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(CHECKOUT / name, project / name)
    for name in ("models", "macros", "seeds", "tests/generic"):
        shutil.copytree(CHECKOUT / name, project / name)
    rules = project / "seeds" / "extraction_rules.csv"
    with rules.open("a", encoding="utf-8") as file:
        file.write("my-zibble,en,fact,statement,^zibble (.+),User zibbles {1},99,true,Mine\n")
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(project))
    done = memory.maintain()
    assert (done.embedded, done.waiting) == (1, 0)
    with memory.store.read() as connection:
        made = connection.execute(
            "select memory_id from known_memories where content = ?",
            ["User zibbles wug the frobnitz daily"],
        ).fetchall()
    ((memory_id,),) = made
    found = memory.recall("zibbles the frobnitz", is_logged=False).memories
    assert [one.similarity is not None for one in found if one.memory_id == memory_id] == [True]
