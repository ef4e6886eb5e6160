"""A store that cannot be opened loses nothing: the mirror of its journal, repair, backup."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import Clock
from ebbing import Memory, journal
from ebbing.errors import InputError, StoreCorrupt, StoreMissing
from ebbing.maintenance.backup import backup
from ebbing.maintenance.repair import Damage, damage, repair
from ebbing.rows import fetch
from ebbing.store.store import FILE_NAME, Store
from test_import_border import message, sound_events, write

AT = datetime(2030, 1, 1)
BLOCK = 1 << 18


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.create()
    made.append(sound_events())
    made.append([write(f"Number {number} is {'x' * 40}") for number in range(400)])
    return made


def rows(store: Store) -> dict[str, list[str]]:
    """Every event of the journal, without the numbers and the settings of its file."""
    with store.read() as connection:
        return {
            kind.table: sorted(
                repr(row)
                for row in fetch(
                    connection, f"select * exclude (event_sequence) from journal.{kind.table}"
                )
            )
            for kind in journal.EVENT_TYPES
            if not kind.is_own
        }


def tear(path: Path) -> None:
    """Overwrite the middle of every block but the first, as a torn write would."""
    with path.open("r+b") as stream:
        size = path.stat().st_size
        for start in range(3 * 4096 + BLOCK // 2, size, BLOCK):
            stream.seek(start)
            stream.write(os.urandom(64))


def test_the_mirror_holds_every_event_as_the_journal_does(store: Store) -> None:
    other = Store(store.folder / "other")
    other.create()
    other.append(list(store.mirror.events()))
    assert rows(other) == rows(store)


def test_the_mirror_is_the_users_alone(store: Store) -> None:
    assert stat.S_IMODE(store.mirror.folder.stat().st_mode) == 0o700
    segments = list(store.mirror.folder.iterdir())
    assert {stat.S_IMODE(segment.stat().st_mode) for segment in segments} == {0o600}


def test_what_the_journal_leaves_out_the_mirror_leaves_out(store: Store) -> None:
    gone = write("The key is here")
    mark = {"erasure_id": "e", "namespace": "default", "content_hash": gone.content_hash}
    store.append([journal.Erasure(memory_id_hash="0" * 64, **mark)])
    store.append([gone, write("The attic is warm")])
    texts = {event.content for event in store.mirror.events() if hasattr(event, "content")}
    assert "The attic is warm" in texts
    assert gone.content not in texts


def test_a_torn_line_costs_no_other(store: Store) -> None:
    segment = next(store.mirror.folder.iterdir())
    with segment.open("r+b") as stream:
        stream.truncate(segment.stat().st_size - 20)
    store.append([write("The attic is warm")])
    faults: list[str] = []
    events = list(store.mirror.events(faults))
    assert len(faults) == 1
    assert any(getattr(event, "content", "") == "The attic is warm" for event in events)


def test_a_compacted_mirror_says_the_same(store: Store) -> None:
    before = sorted(event.event_id for event in store.mirror.events())
    with store.write() as connection:
        store.mirror.rewrite(connection)
    assert sorted(event.event_id for event in store.mirror.events()) == before
    assert len(list(store.mirror.folder.iterdir())) == 1


def test_a_store_without_a_mirror_begins_one_with_all_that_it_has(store: Store) -> None:
    shutil.rmtree(store.mirror.folder)
    store.append([write("The attic is warm")])
    assert len({event.event_id for event in store.mirror.events()}) == 405


def test_a_torn_file_is_made_anew_with_every_event(store: Store) -> None:
    before = rows(store)
    tear(store.path)
    broken = store.path.read_bytes()
    assert damage(store) is Damage.FILE
    done = repair(store)
    assert done.damage is Damage.FILE
    assert rows(store) == before
    assert done.brought_back == 404
    assert (Path(str(done.set_aside)) / FILE_NAME).read_bytes() == broken
    assert damage(store) is Damage.NONE
    assert repair(store).damage is Damage.NONE


def test_a_file_that_is_gone_is_made_anew(store: Store) -> None:
    before = rows(store)
    store.path.unlink()
    assert repair(store).damage is Damage.MISSING
    assert rows(store) == before


LOGGED = """
import os, signal, sys
from ebbing.store.store import Store
sys.path.insert(0, sys.argv[2])
from test_import_border import write
store = Store(sys.argv[1])
with store.held():
    with store.write() as connection:
        store.append([write("Only in the log")])
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_damaged_log_beside_a_whole_file_is_told_apart(store: Store) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOGGED, str(store.folder), str(Path(__file__).parent)],
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode < 0, done.stderr
    log = store.path.with_name(FILE_NAME + ".wal")
    size = log.stat().st_size
    with log.open("r+b") as stream:
        for start in range(16, size - 8, 32):
            stream.seek(start)
            stream.write(b"\xa5" * 8)
    whole, torn = store.path.read_bytes(), log.read_bytes()
    assert damage(store) is Damage.LOG
    with pytest.raises(StoreCorrupt, match="doctor --repair"), store.read():
        pass
    result = repair(store)
    assert result.damage is Damage.LOG
    kept = Path(str(result.set_aside))
    assert (kept / FILE_NAME).read_bytes() == whole
    assert (kept / log.name).read_bytes() == torn
    with store.read() as connection:
        found = fetch(
            connection, "select content from journal.memory_writes where content ^@ 'Only'"
        )
    assert found == [("Only in the log",)]


def test_without_a_mirror_a_damaged_file_is_left_alone(store: Store, tmp_path: Path) -> None:
    shutil.rmtree(store.mirror.folder)
    tear(store.path)
    broken = store.path.read_bytes()
    with pytest.raises(StoreCorrupt, match="there is no mirror"):
        repair(store)
    assert store.path.read_bytes() == broken
    with pytest.raises(StoreMissing, match="nor the mirror"):
        repair(Store(tmp_path / "nothing"))


# Backup

WRITING = """
import sys
from ebbing.store.store import Store
sys.path.insert(0, sys.argv[2])
from test_import_border import write
store = Store(sys.argv[1], budget=600)
for number in range(30):
    store.append([write(f"Written beside {number}")])
    print(number, flush=True)
"""


def test_a_backup_beside_a_running_writer_is_a_whole_store(store: Store, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(store.folder), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())
        store.budget = 600
        done = backup(store, tmp_path / "copy", at=AT)
        writer.communicate()
    assert writer.returncode == 0
    copy = Store(tmp_path / "copy")
    assert damage(copy) is Damage.NONE
    with copy.read() as connection:
        texts = {row[0] for row in fetch(connection, "select content from journal.memory_writes")}
    assert {f"Written beside {number}" for number in range(acknowledged + 1)} <= texts
    assert done.size == copy.path.stat().st_size
    assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600


def test_a_backup_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="exists; nothing was backed up"):
        backup(store, tmp_path / "taken", at=AT)


# The spool


@pytest.mark.parametrize("kind", ["a folder", "deep nesting", "a pipe"])
def test_what_lies_in_the_spool_blocks_no_write(kind: str, store: Store) -> None:
    store.spool.write([write("It waited")])
    bad = store.spool.folder / "0-x.jsonl"
    if kind == "a folder":
        bad.mkdir()
    elif kind == "a pipe":
        os.mkfifo(bad)
    else:
        bad.write_bytes(b'{"ebbing_spool": 1, "events": 1}\n' + b"[" * 100_000)
    assert store.append([write("It goes on")]).inserted == 1
    with store.read() as connection:
        texts = {row[0] for row in fetch(connection, "select content from journal.memory_writes")}
    assert {"It waited", "It goes on"} <= texts
    assert sorted(path.name for path in store.spool.folder.iterdir()) == [
        "0-x.jsonl.reason",
        "0-x.jsonl.rejected",
    ]


# With a build


def test_doctor_repairs_a_store_that_then_answers(store_path: Path, clock: Clock) -> None:
    memory = Memory(store_path, clock=clock)
    memory.remember("The attic is dry")
    memory.store.append([message("m9", "I live in Leeds.")])
    memory.maintain()
    tear(memory.store.path)
    found: dict[str, Any] = {one.subject: one for one in memory.doctor()}
    assert found["file"].remedy == "ebbing doctor --repair"
    memory.repair()
    assert all(one.is_well for one in memory.doctor())
    with memory.store.read() as connection:
        contents = {row[0] for row in fetch(connection, "select content from long_term_memory")}
    assert contents == {"The attic is dry", "User lives in Leeds", "I live in Leeds."}
    assert memory.recall("attic dry", is_logged=False).memories
