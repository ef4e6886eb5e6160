"""What waits in the spool reaches the journal exactly once, in order, or is set aside by name."""

import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ebbing import journal
from ebbing.errors import InputError, StoreMissing
from ebbing.journal.events import MemoryWrite
from ebbing.journal.spool import Spool
from ebbing.store.lock import StoreLock
from ebbing.store.store import Appended, Store, _Hold


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "home", budget=0.2)
    store.create()
    return store


def write(content: str) -> MemoryWrite:
    return MemoryWrite(
        memory_id=f"mem_{content}",
        namespace="default",
        kind="fact",
        content=content,
        content_hash=content,
        actor="test",
        method="remember",
    )


def contents(store: Store) -> list[str]:
    with store.read() as connection:
        rows = connection.execute(
            "select content from journal.memory_writes order by event_sequence"
        ).fetchall()
    return [str(text) for (text,) in rows]


class Holder:
    """Another holder of the lock, as a thread of its own would be."""

    def __init__(self, store: Store) -> None:
        self._lock = StoreLock(store.path.with_name("memory.duckdb.lock"), exclusive=True)

    def __enter__(self) -> None:
        assert self._lock.acquire(time.monotonic() + 5)

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_write_whose_budget_runs_out_waits_in_the_spool(store: Store) -> None:
    with Holder(store):
        assert store.append([write("a"), write("b")]) == Appended(inserted=0, spooled=2)
        assert len(store.spool.waiting()) == 1
    assert contents(store) == []
    assert store.append([write("c")]) == Appended(inserted=1, spooled=0)
    assert contents(store) == ["a", "b", "c"]
    assert store.spool.waiting() == []


def test_a_hook_does_not_wait(store: Store) -> None:
    with Holder(store):
        started = time.monotonic()
        appended = Store(store.folder, budget=60).append([write("a")], wait=False)
        assert appended == Appended(inserted=0, spooled=1)
        assert time.monotonic() - started < 5
    assert store.append([write("b")], wait=False) == Appended(inserted=1, spooled=0)
    assert contents(store) == ["a", "b"]


def test_batches_are_folded_in_the_order_in_which_they_came(store: Store) -> None:
    for number in range(30):
        store.spool.write([write(f"{number:02}-{part}") for part in range(3)])
    with store.write() as connection:
        assert store.fold_spool(connection) == 90
        assert store.fold_spool(connection) == 0
    assert contents(store) == [f"{number:02}-{part}" for number in range(30) for part in range(3)]


def test_a_fold_that_died_before_it_removed_the_file_counts_once(store: Store) -> None:
    path = store.spool.write([write("a"), write("b")])
    batch = path.read_bytes()
    store.append([write("c")])
    path.write_bytes(batch)
    store.append([write("d")])
    assert contents(store) == ["a", "b", "c", "d"]


def test_maintenance_folds_while_it_holds_the_lock(store: Store) -> None:
    store.spool.write([write("a")])
    with store.held():
        with store.write() as connection:
            assert store.fold_spool(connection) == 1
        assert contents(store) == ["a"]
        assert store.append([write("b")]).inserted == 1
    assert contents(store) == ["a", "b"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "garbage\n",
        lambda text: text[: len(text) // 2],
        lambda text: text.split("\n")[0] + "\n",
        lambda text: text.replace("memory_writes", "no_such_table"),
        lambda text: text.replace('"content_hash"', '"unknown_column"'),
        lambda text: text.replace('"ebbing_spool": 1', '"ebbing_spool": 99'),
        lambda text: "\x00\x00" + text,
    ],
)
def test_a_damaged_file_is_set_aside_and_the_others_are_folded(
    store: Store, caplog: pytest.LogCaptureFixture, damage: Callable[[str], str]
) -> None:
    store.spool.write([write("before")])
    damaged = store.spool.write([write("damaged")])
    damaged.write_text(damage(damaged.read_text()))
    kept = damaged.read_bytes()
    store.spool.write([write("after")])
    with caplog.at_level(logging.WARNING):
        store.append([write("last")])
    assert contents(store) == ["before", "after", "last"]
    assert damaged.with_name(damaged.name + ".rejected").read_bytes() == kept
    assert len(caplog.messages) == 1
    assert "\n" not in caplog.messages[0]
    store.append([write("again")])
    assert len(caplog.messages) == 1


def test_bytes_that_are_not_utf8_are_set_aside(store: Store) -> None:
    path = store.spool.write([write("damaged")])
    path.write_bytes(b"\xff\xfe" + path.read_bytes())
    store.append([write("a")])
    assert contents(store) == ["a"]
    assert path.with_name(path.name + ".rejected").exists()


def test_a_file_of_another_user_waits_and_holds_up_nobody(
    store: Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = store.spool.write([write("theirs")])
    read = Spool.read

    def refuse(spool: Spool, path: Path) -> list[journal.Event]:
        if path == theirs:
            raise PermissionError(13, "Permission denied", str(path))
        return read(spool, path)

    with monkeypatch.context() as patch:
        patch.setattr(Spool, "read", refuse)
        assert store.append([write("ours")]) == Appended(inserted=1, spooled=0)
    assert len(caplog.messages) == 1
    assert theirs.exists()
    store.append([write("last")])
    assert contents(store) == ["ours", "theirs", "last"]


def test_a_value_that_the_journal_refuses_does_not_hold_up_the_others(store: Store) -> None:
    store.spool.write([write("before")])
    path = store.spool.write([write("damaged")])
    header, line = path.read_text().splitlines()
    event = json.loads(line)
    event["event"]["occurred_at"] = "2025-07-25T02:00:00+23:59"
    event["event"]["importance"] = 1e400
    path.write_text(f"{header}\n{json.dumps(event)}\n")
    store.spool.write([write("after")])
    store.append([write("last")])
    assert contents(store) == ["before", "after", "last"]


def test_a_partial_file_is_not_read_and_goes_when_it_is_old(store: Store) -> None:
    store.spool.write([write("a")])
    partial = store.spool.folder / "0000.partial"
    partial.write_text("half a bat")
    store.append([write("b")])
    assert contents(store) == ["a", "b"]
    assert partial.exists()
    os.utime(partial, (0, 0))
    store.append([write("c")])
    assert not partial.exists()


def test_events_that_cannot_be_written_are_not_spooled(store: Store) -> None:
    unusable = journal.Embedding(content_hash="h", model_id="m", vector=(float("nan"),))
    with Holder(store), pytest.raises(InputError, match="embeddings"):
        store.append([unusable])
    assert store.spool.waiting() == []
    assert list(store.spool.folder.glob("*")) == []


def test_there_is_no_spool_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        Store(tmp_path).append([write("a")], wait=False)
    assert list(tmp_path.iterdir()) == []


def test_a_spool_is_private(store: Store) -> None:
    path = store.spool.write([write("a")])
    assert path.stat().st_mode & 0o777 == 0o600
    assert store.spool.folder.stat().st_mode & 0o777 == 0o700


def test_many_threads_write_at_once(store: Store) -> None:
    patient = Store(store.folder, budget=60)
    results: list[Appended] = []

    def run(name: int) -> None:
        for number in range(10):
            results.append(patient.append([write(f"{name}-{number}")]))

    threads = [threading.Thread(target=run, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [Appended(inserted=1, spooled=0)] * 60
    written = contents(store)
    assert len(written) == len(set(written)) == 60
    for name in range(6):
        own = [text for text in written if text.startswith(f"{name}-")]
        assert own == [f"{name}-{number}" for number in range(10)]


def test_messages_folded_by_another_writer_are_counted_as_they_were(store: Store) -> None:
    def message(number: int) -> journal.Message:
        return journal.Message(
            message_id=f"msg_{number}",
            namespace="default",
            session_id="s",
            message_seq=number,
            role="user",
            content="hello",
            source="test",
        )

    store.append([message(1), message(2)])
    patient = Store(store.folder, budget=60)
    results: list[Appended] = []
    late = threading.Thread(
        target=lambda: results.append(patient.append([message(number) for number in range(5)]))
    )
    with Holder(store):
        late.start()
        while not store.spool.waiting():
            time.sleep(0.005)
        # What the holder of the lock does, here without its re-entrance.
        with patient._opened(
            _Hold(exclusive=True), read_only=False, deadline=time.monotonic() + 5
        ) as connection:
            assert patient.fold_spool(connection) == 3
    late.join()
    assert results == [Appended(inserted=3, spooled=0)]
