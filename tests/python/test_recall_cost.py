"""What a recall costs is in its plan, which no busy machine changes."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from conftest import START, Clock
from ebbing import Memory
from ebbing.journal.writing import write_event

PLAN = """
    explain (format json)
    select memory_id from recall($vector::varchar, query_text := 'which port answers')
"""


def plan_of_a_recall(memory: Memory) -> dict[str, Any]:
    vector = json.dumps(memory._embedder().embed_query("which port answers"))
    with memory.store.read() as connection:
        ((_, plan),) = connection.execute(PLAN, {"vector": vector}).fetchall()
    (root,) = json.loads(plan)
    return dict(root)


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan["children"] for node in nodes(child))]


def reads_vectors(node: dict[str, Any]) -> bool:
    known = node["extra_info"]
    return "embeddings" in str(known.get("Table")) and "vector" in known.get("Projections", ())


def test_a_recall_hashes_the_keys_of_vectors_and_never_the_vectors(store_path: Path) -> None:
    memory = Memory(store_path, clock=Clock(START + timedelta(days=1)))
    writes = [
        write_event(
            f"machine {number} answers on port {number}",
            namespace="default",
            kind="fact",
            actor="test",
            method="remembered",
            at=START,
            recorded_at=START,
        )[0]
        for number in range(40)
    ]
    memory.store.append([*writes, *memory.vectors_for(writes)])

    joins = [
        node
        for node in nodes(plan_of_a_recall(memory))
        if "SEMI" in node["extra_info"].get("Join Type", "")
        and any(reads_vectors(below) for below in nodes(node))
    ]

    (join,) = joins
    compared, hashed = join["children"]
    assert any(reads_vectors(node) for node in nodes(compared))
    assert not any(reads_vectors(node) for node in nodes(hashed))


def test_a_log_of_a_recall_waits_for_a_writer_and_no_recall_for_it(store_path: Path) -> None:
    memory = Memory(store_path, clock=Clock(START))
    memory.remember("The router IP is 192.168.7.1")
    memory.recall("router ip")
    memory._logged_by_now()

    (waiting,) = memory.store.spool.waiting()
    memory.recall("router ip", is_logged=False)
    assert waiting.exists()
    memory.flush()
    assert not waiting.exists()
    with memory.store.read() as connection:
        assert connection.execute("select count(*) from journal.recalls").fetchone() == (1,)


def test_logs_that_nobody_folds_are_folded_by_a_recall_in_the_background(
    store_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("ebbing.memory._MOST_LOGS", 3)
    memory = Memory(store_path, clock=Clock(START))
    for _ in range(5):
        memory.recall("router ip")
        memory._logged_by_now()

    assert len(memory.store.spool.waiting()) == 1
