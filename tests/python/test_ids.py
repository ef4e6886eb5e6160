"""Ids sort by time where they should, and repeat where they should."""

import subprocess
import sys
import uuid

from ebbing.journal import ids


def test_event_ids_are_uuid7_unique_and_sort_in_the_order_they_were_made() -> None:
    made = [ids.event_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert uuid.UUID(made[0]).version == 7


def test_processes_do_not_make_the_same_event_ids() -> None:
    code = "from ebbing.journal import ids; print(*(ids.event_id() for _ in range(500)))"
    children = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    made = [event_id for child in children for event_id in child.communicate()[0].split()]
    assert len(set(made)) == 1_000


def test_memory_id_follows_from_namespace_and_content() -> None:
    assert ids.memory_id("default", "tea") == ids.memory_id("default", "tea")
    assert ids.memory_id("default", "tea") != ids.memory_id("Default", "tea")
    # Known value: the ids of a store must not change between versions.
    assert ids.memory_id("default", "drinks green tea") == "mem_5a1ac0d6ef7594bc"


def test_parts_of_a_name_do_not_run_together() -> None:
    assert ids.memory_id("ab", "c") != ids.memory_id("a", "bc")
    assert ids.message_id("s", 11, "x") != ids.message_id("s", 1, "1x")
    assert ids.message_id("s", 1).startswith("msg_")
    assert len(ids.message_id("s", 1)) == 20


def test_recall_and_task_ids_are_prefixed_and_sort() -> None:
    assert ids.recall_id().startswith("rec_")
    made = [ids.task_id() for _ in range(100)]
    assert made == sorted(set(made))


def test_content_hash_is_sha256_of_utf8() -> None:
    assert (
        ids.content_hash("café")
        == "850f7dc43910ff890f8879c0ed26fe697c93a067ad93a7d50f466a7028a9bf4e"
    )
