"""No way into a store lets a secret in: reasons, imports, and a hook that is out of time."""

from __future__ import annotations

import json
import time
from pathlib import Path

from ebbing import Memory, journal
from ebbing.embedding.model import recorded_model
from ebbing.journal import ids
from ebbing.safety.deadline import redaction_until
from store_harness import places_of, relations_with

SECRET = "gh" + "p_" + "A1b2C3d4" * 5
PASSWORD = "hunter" + "2hunter"


def test_reasons_are_redacted(memory: Memory) -> None:
    made = memory.remember(f"\x1b[31m{SECRET}\x1b[0m is the token of the mirror").memory_id
    memory.forget(made, reason=f"it held {SECRET}")
    memory.restore(made, reason=f"the db pass is {PASSWORD}")
    memory.correct(made, "The mirror needs no token", reason=f"curl --user me:{PASSWORD} failed")
    memory.flush()
    assert relations_with(memory.store.folder, [SECRET, PASSWORD]) == []
    assert places_of(memory.store.folder, [SECRET, PASSWORD]) == []


def test_an_import_is_redacted_and_what_refers_to_a_text_follows_it(
    memory: Memory, tmp_path: Path
) -> None:
    text = f"The password for the router is {PASSWORD}"
    old_id = ids.memory_id("default", text)
    with memory.store.read() as connection:
        model_id = recorded_model(connection).model_id
    events = [
        journal.MemoryWrite(
            memory_id=old_id,
            namespace="default",
            kind="fact",
            content=text,
            content_hash=ids.content_hash(text),
            actor="user",
            method="remembered",
            metadata=json.dumps({"seen": SECRET}),
        ),
        journal.MemoryChange(
            memory_id=old_id, change="forget", reason=f"{SECRET} was in it", actor="user"
        ),
        journal.Embedding(
            content_hash=ids.content_hash(text), model_id=model_id, vector=[0.125] * 64
        ),
        journal.Message(
            message_id="msg_1",
            namespace="default",
            session_id="s",
            message_seq=0,
            role="user",
            content=f"use {SECRET} please",
            source="x",
        ),
    ]
    file = tmp_path / "export.jsonl"
    file.write_text("\n".join(map(journal.to_json, events)), "utf-8")
    assert memory.import_(file).bad_lines == ()
    assert relations_with(memory.store.folder, [SECRET, PASSWORD]) == []
    with memory.store.read() as connection:
        writes, changes = (
            connection.execute(f"select memory_id from journal.{table}").fetchall()
            for table in ("memory_writes", "memory_changes")
        )
    assert writes == changes != [(old_id,)]


def test_what_is_late_is_stored_coarsely_and_never_raw(memory: Memory) -> None:
    with redaction_until(time.monotonic() - 1):
        made = memory.remember(f"The build of the mirror needs {SECRET} to run")
    assert made.redacted == ("unchecked",)
    assert SECRET not in made.content
    assert made.content.startswith("The build of the mirror needs")
