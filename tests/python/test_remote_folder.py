"""A shared folder as a remote: two stores come to the same events, whatever arrives when."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import START, Clock
from ebbing import Memory
from ebbing.cli import main
from ebbing.errors import InputError, ModelMismatch, RemoteAway
from ebbing.journal import MemoryWrite, StoreSetting, from_json
from ebbing.journal.spool import batch_bytes
from ebbing.store.location import REMOTES_NAME
from remote_harness import exchange, journal_rows, replicas


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / "shared"


@pytest.fixture
def pair(built_store: Path, tmp_path: Path, shared: Path, clock: Clock) -> list[Memory]:
    return replicas(built_store, tmp_path, shared.as_uri(), 2, clock=clock)


def found(memory: Memory, query: str) -> list[str]:
    answer = memory.recall(query, is_logged=False, min_similarity=-1.0)
    return [one.content for one in answer.memories]


def test_what_one_writes_the_other_recalls_at_once(pair: list[Memory]) -> None:
    one, other = pair
    written = one.remember("The router is at 192.168.9.1")
    assert written.note is None
    assert not written.is_spooled
    assert found(other, "router") == ["The router is at 192.168.9.1"]
    other.forget(written.memory_id)
    assert found(one, "router") == []


@pytest.mark.long
def test_both_have_the_same_journal_and_a_second_sync_moves_nothing(pair: list[Memory]) -> None:
    one, other = pair
    kept = one.remember("The garden gate is green")
    other.remember("The bins go out on Tuesday")
    other.sync()
    task = other.start_task("open the gate")
    other.flush()
    assert kept.memory_id in [hit.memory_id for hit in task.recalled.memories]
    other.end_task(task.task_id, is_completed=True, ratings={kept.memory_id: 3})
    exchange(pair)
    assert journal_rows(one) == journal_rows(other)
    again = [done for memory in pair for done in memory.sync()]
    assert [(done.received, done.sent) for done in again] == [(0, 0), (0, 0)]


def test_a_remote_that_is_away_is_said_and_caught_up_with(
    pair: list[Memory], shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ebbing.remote.sending._PAUSE", 0.0)
    one, other = pair
    shared.rename(shared.with_name("unplugged"))
    written = one.remember("The spare key is under the pot")
    assert "not sent yet" in str(written.note)
    assert found(one, "spare key") == ["The spare key is under the pot"]
    with pytest.raises(RemoteAway, match="mounted"):
        one.sync()
    shared.with_name("unplugged").rename(shared)
    # The next that is written takes along what waited.
    one.remember("The ladder is in the shed")
    assert found(other, "spare key")[0] == "The spare key is under the pot"


def test_files_that_come_late_or_in_parts_are_waited_for(pair: list[Memory], shared: Path) -> None:
    one, other = pair
    for number in range(3):
        one.remember(f"Shelf {number} holds box {number}")
    _, second, _ = sorted(next(own for own in shared.iterdir() if own.is_dir()).iterdir())
    whole = second.read_bytes()
    second.write_bytes(whole[: len(whole) // 2])
    (done,) = other.sync()
    assert done.received == 2
    assert str(second) in done.problems[0]
    second.write_bytes(whole)
    (done,) = other.sync()
    assert (done.received, done.problems) == (4, ())


def test_a_folder_that_was_set_back_is_read_as_a_whole(pair: list[Memory], shared: Path) -> None:
    one, other = pair
    one.remember("The first fact")
    before = shared.with_name("backup")
    shutil.copytree(shared, before)
    one.remember("The second fact")
    other.sync()
    shutil.rmtree(shared)
    before.rename(shared)
    (done,) = other.sync()
    assert done.is_whole
    # What the backup lacks is there again: the journal of any replica has it.
    assert done.sent == 2
    (done,) = one.sync()
    assert journal_rows(one) == journal_rows(other)


def test_what_a_newer_version_wrote_stays_there_and_is_counted(
    pair: list[Memory], shared: Path
) -> None:
    one, other = pair
    one.remember("Known to all")
    file = next(shared.glob("*/*.jsonl"))
    newer = '{"table": "moods", "event": {"event_id": "x"}}'
    (file.with_name("000000002.jsonl")).write_bytes(batch_bytes([newer]))
    (done,) = other.sync()
    assert (done.received, done.unreadable) == (2, 1)


def test_events_that_no_version_wrote_are_refused_by_name(pair: list[Memory], shared: Path) -> None:
    one, other = pair
    one.remember("True")
    file = next(shared.glob("*/*.jsonl"))
    lines = file.read_text().splitlines()[1:]
    write = next(event for line in lines if isinstance(event := from_json(line), MemoryWrite))
    file.write_text(file.read_text().replace(write.memory_id, "mem_0123456789abcdef"))
    (done,) = other.sync()
    assert done.refused == ("its memory id is not that of its namespace and text",)
    assert found(other, "True") == []


def test_a_store_of_another_model_is_refused_with_the_cure(
    pair: list[Memory], tmp_path: Path, shared: Path
) -> None:
    other = Memory(tmp_path / "replica-1")
    about = shared / "ebbing-remote.json"
    about.write_text(about.read_text().replace("hashing/64", "hashing/32").replace("64", "32"))
    with pytest.raises(ModelMismatch, match=r"hashing.*ebbing reembed --model"):
        other.sync()


def test_what_is_the_stores_own_does_not_travel(pair: list[Memory], shared: Path) -> None:
    one, _ = pair
    one.remember("Shared")
    one.sync()
    assert REMOTES_NAME not in {path.name for path in shared.rglob("*")}
    there = "".join(path.read_text() for path in shared.glob("*/*.jsonl"))
    assert "remote_cursors" not in there
    assert StoreSetting.table not in there


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://ann:s3cret@db.example/memory", "PGPASSWORD"),
        ("postgresql://db.example/memory?password=s3cret", "PGPASSWORD"),
        ("mysql://db.example/memory", "no kind of remote"),
        ("file://memory", "three strokes"),
        ("postgresql://db .example", "%20"),
    ],
)
def test_an_address_is_checked_and_a_password_never_repeated(
    memory: Memory, url: str, said: str
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        memory.add_remote(url)
    assert "s3cret" not in str(refused.value)
    assert memory.remotes() == ()


def test_a_remote_is_added_once_listed_and_removed(pair: list[Memory], shared: Path) -> None:
    one, _ = pair
    one.add_remote(shared.as_uri())
    (state,) = one.remotes()
    assert (state.url, state.is_behind) == (shared.as_uri(), False)
    assert one.status(at=START + timedelta(days=1)).remotes == (state,)
    one.remove_remote(shared.as_uri())
    assert one.remotes() == ()
    with pytest.raises(InputError, match="no remote"):
        one.remove_remote(shared.as_uri())
    one.remember("Kept to itself")
    assert list(shared.glob("*/*.jsonl")) == []


_ON_A_FULL_DISK = """
import resource, sys
from ebbing.entry import main
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
sys.argv = ["ebbing", "sync", "--store", sys.argv[1]]
main()
"""


def test_a_replica_whose_disk_is_full_says_so_and_reads_it_later(pair: list[Memory]) -> None:
    one, other = pair
    one.remember("Written while the other had no room")
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_FULL_DISK, str(other.store.folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert "is full; the store is as it was" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    (synced,) = other.sync()
    assert synced.received == 2


def test_the_commands_say_what_was_exchanged_and_what_is_wrong(
    store_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EBBING_HOME", str(store_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(main, arguments)
        return done.exit_code, done.stdout.strip(), done.stderr.strip()

    url = shared.as_uri()
    assert run("sync") == (0, "", "The store has no remote; `ebbing remote add URL` adds one.")
    assert run("remote", "list") == (0, "", "The store has no remote.")
    assert run("remote", "add", url) == (0, f"{url}: 0 events received, 0 sent", "")
    assert run("sync") == (0, f"{url}: 0 events received, 0 sent", "")
    assert url in run("remote", "list")[1]
    code, _, said = run("remote", "add", "postgresql://ann:s3cret@db/memory")
    assert (code, "s3cret" in said, "PGPASSWORD" in said) == (2, False, True)
    code, sql, _ = run("remote", "grant", "worker", "--namespace", "team", "--sql")
    assert (code, "('worker', 'team')" in sql) == (0, True)
    shared.rename(shared.with_name("unplugged"))
    code, _, said = run("sync")
    assert (code, said.count("\n"), "holds no ebbing-remote.json" in said) == (6, 0, True)
    assert run("remote", "remove", url) == (0, f"removed {url}; what came from it stays", "")
