"""What one replica erases is gone from the remote and from every other, and does not come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.errors import RemoteAway
from ebbing.journal import Erasure, Message, from_json
from ebbing.remote.folder import FolderRemote
from ebbing.remote.marks import read_mark
from ebbing.remote.protocol import Rewriting, StaleMark
from remote_harness import exchange, journal_rows, replicas
from store_harness import places_of, relations_with

SECRET = "The safe is behind the painting of the lighthouse"
KEPT = "The bicycle is painted turquoise"


@pytest.mark.long
def test_an_erasure_reaches_the_remote_and_a_replica_that_was_off(
    built_store: Path, tmp_path: Path, clock: Clock
) -> None:
    shared = tmp_path / "shared"
    one, other = replicas(built_store, tmp_path, shared.as_uri(), 2, clock=clock)
    log = tmp_path / "log.jsonl"
    said = {"session_id": "s", "role": "user", "content": f"{SECRET}. {KEPT}.", "ts": f"{START}Z"}
    log.write_text(json.dumps(said) + "\n", "utf-8")
    one.ingest([log])
    written = one.remember(SECRET)
    one.sync()
    other.sync()
    # Read, restated, and not sent when it is erased elsewhere.
    other.remove_remote(shared.as_uri())
    other.recall("where is the safe?")
    other.remember(SECRET)
    export = tmp_path / "export.jsonl"
    other.export(export)

    clock.forward(hours=1)
    done = one.erase(written.memory_id)
    assert done.is_clean, [place for place in done.searched if place.found]
    assert done.waiting == ()
    assert any(place.place.startswith(shared.as_uri()) for place in done.searched)
    assert places_of(shared, [SECRET, written.memory_id]) == []

    (back,) = [other.add_remote(shared.as_uri())]
    assert back.erased >= 1
    assert relations_with(other.store.folder, [SECRET, written.memory_id]) == []
    exchange([one, other])
    assert places_of(shared, [SECRET, written.memory_id]) == []
    assert journal_rows(one) == journal_rows(other)
    messages = journal_rows(other)["messages"]
    assert KEPT in messages[0]
    # What was written before it stays out.
    for memory in (one, other):
        events = [from_json(line) for line in export.read_text("utf-8").splitlines()[1:-1]]
        memory.store.append([event for event in events if not event.is_own])
        memory.sync()
    assert places_of(shared, [SECRET, written.memory_id]) == []
    assert relations_with(other.store.folder, [SECRET, written.memory_id]) == []


@pytest.fixture
def folder(tmp_path: Path) -> FolderRemote:
    remote = FolderRemote("file:///x", tmp_path / "shared", replica="a")
    remote.make(None)
    return remote


def test_who_does_not_know_all_tombstones_neither_erases_nor_sends(
    folder: FolderRemote, memory: Memory
) -> None:
    with folder.deliver(None) as delivery:
        list(delivery.batches)
    memory.add_remote(folder.folder.as_uri())
    mark = read_mark(memory.store, folder.folder.as_uri())
    assert mark is not None
    tombstone = Erasure(
        erasure_id="e", namespace="default", content_hash="0" * 64, memory_id_hash="1" * 64
    )
    said = Message(
        message_id="m", namespace="default", session_id="s", message_seq=0, role="user",
        content="Hello", source="test",
    )  # fmt: skip
    assert folder.erase(Rewriting(marks=[tombstone], events=[]), mark)
    assert not folder.erase(Rewriting(marks=[tombstone], events=[]), mark)
    with pytest.raises(StaleMark):
        folder.send([said], [["default"]], mark)
    with pytest.raises(RemoteAway):
        folder.send([said], [["default"]], mark)
    assert folder.missing([said.event_id]) == {said.event_id}
