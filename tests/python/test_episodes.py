"""What was said is memory too: recalled in its own words, and treated like any memory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.rows import fetch
from store_harness import relations_with

SAID = "turned out the spare key hung behind the blue door all along"
ASKED = "where the spare key hung"


def ingest(memory: Memory, path: Path, *messages: tuple[str, str]) -> None:
    path.write_text(
        "\n".join(
            json.dumps(
                {
                    "session_id": "s1",
                    "message_id": f"m{position}",
                    "role": role,
                    "content": content,
                    "timestamp": "2026-01-04T08:00:00Z",
                }
            )
            for position, (role, content) in enumerate(messages)
        ),
        "utf-8",
    )
    memory.ingest([path])


@pytest.fixture(scope="module")
def logged_store(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose log holds one thing that no rule reads, thanks, and an answer."""
    folder = tmp_path_factory.mktemp("logged")
    shutil.copytree(built_store, folder / "store")
    memory = Memory(folder / "store", clock=Clock())
    ingest(
        memory,
        folder / "log.jsonl",
        ("user", SAID),
        ("assistant", "Noted: behind the blue door."),
        ("user", "ok, thanks a lot!"),
    )
    memory.maintain()
    return memory.store.folder


@pytest.fixture
def logged(logged_store: Path, tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    shutil.copytree(logged_store, tmp_path / "store")
    memory = Memory(tmp_path / "store", clock=clock)
    yield memory
    memory.flush()


def kinds(memory: Memory) -> dict[str, str]:
    with memory.store.read() as connection:
        return dict(fetch(connection, "select content, kind from long_term_memory"))


def test_what_no_rule_reads_is_recalled_as_it_was_said(logged: Memory) -> None:
    found = logged.recall(ASKED).memories

    assert [(memory.kind, memory.content) for memory in found] == [("episode", SAID)]
    assert kinds(logged) == {SAID: "episode"}


def test_an_episode_fades_faster_than_a_fact(logged: Memory) -> None:
    logged.remember("The lease ends in May")
    logged.maintain()

    with logged.store.read() as connection:
        strengths = dict(
            fetch(
                connection,
                "select kind, strength_now from memory_state(as_of := timestamp '2026-02-05')",
            )
        )
    assert strengths["episode"] < strengths["fact"]


def test_a_forgotten_episode_stays_forgotten_and_can_come_back(
    logged: Memory, clock: Clock
) -> None:
    episode = logged.recall(ASKED).memories[0].memory_id
    logged.forget(episode, reason="moved")
    assert logged.recall(ASKED).memories == ()

    logged.maintain()
    assert logged.recall(ASKED).memories == ()

    clock.forward(minutes=1)
    logged.restore(episode)
    clock.forward(minutes=1)
    assert [found.memory_id for found in logged.recall(ASKED).memories] == [episode]


def test_a_corrected_episode_becomes_a_memory(logged: Memory) -> None:
    episode = logged.recall(ASKED).memories[0].memory_id
    logged.correct(episode, "The spare key hung behind the green door")
    logged.maintain()

    found = logged.recall(ASKED).memories
    assert [(memory.kind, memory.content) for memory in found] == [
        ("fact", "The spare key hung behind the green door")
    ]


def test_an_erased_episode_is_nowhere(logged: Memory) -> None:
    episode = logged.recall(ASKED).memories[0].memory_id
    logged.flush()
    logged.erase(episode)
    logged.maintain()

    assert relations_with(logged.store.folder, [SAID, episode]) == []


def test_an_episode_that_is_used_often_becomes_a_fact(logged: Memory, clock: Clock) -> None:
    for _ in range(5):
        clock.forward(days=1)
        logged.recall(SAID)
    logged.flush()
    logged.maintain()

    assert kinds(logged) == {SAID: "fact"}


def test_a_text_that_was_remembered_keeps_its_kind_when_it_is_said(
    memory: Memory, tmp_path: Path
) -> None:
    memory.remember(SAID, kind="skill", at=datetime(2026, 1, 1))
    ingest(memory, tmp_path / "log.jsonl", ("user", SAID))
    memory.maintain()

    assert kinds(memory) == {SAID: "skill"}


def test_what_was_said_is_found_by_its_words_before_any_maintenance(
    memory: Memory, tmp_path: Path
) -> None:
    ingest(memory, tmp_path / "log.jsonl", ("user", SAID), ("user", "thanks a lot!"))

    found = memory.recall(ASKED).memories
    assert [(one.kind, one.content) for one in found] == [("episode", SAID)]

    memory.forget(found[0].memory_id)
    assert memory.recall(ASKED).memories == ()


def test_a_memory_and_the_message_it_comes_from_are_one_result_the_memory_first(
    memory: Memory, tmp_path: Path
) -> None:
    said = "hey there, my dentist is Dr Winter, and the surgery smells of mint"
    ingest(memory, tmp_path / "log.jsonl", ("user", said))
    memory.maintain()

    assert "episode" in kinds(memory).values(), "the message is there by itself"
    for question in ("who is the dentist", said):
        found = memory.recall(question).memories
        assert [one.kind for one in found] == ["fact"], question

    episode = memory.recall(said, kinds=["episode"]).memories[0]
    assert episode.content == said
    assert memory.why_not(episode.memory_id, said).lost_by == "a memory made from it stands for it"
