"""A store is made once, opened late, closed early, and says in one line why it cannot be used."""

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ebbing import journal
from ebbing.errors import (
    EbbingError,
    InputError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreMissing,
    StoreReadOnly,
)
from ebbing.journal.events import MemoryWrite, StoreSetting
from ebbing.journal.migrations import newest_format
from ebbing.store.store import Appended, Store, default_store_path

# The header of a file that DuckDB 2.0.1 made.
NEWER_DUCKDB = zlib.decompress(
    base64.b64decode(
        "eNrt178KglAUx/Hbn6EpGmxIpNXt4hVBmxrSKRqb3ERfIWzrDRyChh6h5wh6hHoBEeohbJAIQqOlQfh+"
        "lh/nHDjD2Y5zPOxOl6vmrxfLoid+srGlJVXz3ItdTyknmVnf90y3uR3p5mM8vJ9H+2wiAAAAAADAX9zc"
        "NDVCf96pH3ff/X4VgyoCTgcAAAAAQNv+/9WrLj8I/n8AAAAAAFrvCfFsJxQ="
    )
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "home", budget=2)
    store.create()
    return store


def write(content: str = "tea") -> MemoryWrite:
    return MemoryWrite(
        memory_id="mem_1",
        namespace="default",
        kind="fact",
        content=content,
        content_hash="hash",
        actor="test",
        method="remember",
    )


def count(store: Store) -> int:
    with store.read() as connection:
        row = connection.execute("select count(*) from journal.memory_writes").fetchone()
    assert row is not None
    return int(row[0])


def says_in_one_line(error: EbbingError) -> bool:
    text = str(error)
    return "\n" not in text and text.count(";") == 2


# Making


def test_a_new_store_is_private_and_in_the_chosen_format(store: Store) -> None:
    assert store.path == store.folder / "memory.duckdb"
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in store.folder.rglob("*") if file.is_file()} == {
        0o600
    }
    store.append([write()])
    with store.read() as connection:
        settings = connection.execute(
            "select setting, setting_value from journal.store_settings"
        ).fetchall()
        tags = connection.execute(
            "select tags['storage_version'] from duckdb_databases() where database_name = 'memory'"
        ).fetchone()
    steps = range(1, newest_format() + 1)
    assert settings == [("format_version", str(number)) for number in steps]
    assert tags == ("v1.5.0+",)


def test_making_a_store_again_leaves_it_as_it_is(store: Store) -> None:
    store.append([write()])
    assert store.create() is False
    assert count(store) == 1
    with store.read() as connection:
        rows = connection.execute("select count(*) from journal.store_settings").fetchone()
    assert rows == (newest_format(),)


def test_a_file_that_dbt_made_first_becomes_a_store(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "memory.duckdb")) as connection:
        connection.execute("create table main.anything (id integer)")
    store = Store(tmp_path)
    with pytest.raises(StoreCorrupt, match="without a journal"):
        count(store)
    store.create()
    assert count(store) == 0


def test_two_threads_make_one_store(tmp_path: Path) -> None:
    made: list[bool] = []
    threads = [
        threading.Thread(target=lambda: made.append(Store(tmp_path / "home", budget=30).create()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False, False, False, True]


def test_a_store_is_named_by_its_folder_or_its_file(tmp_path: Path) -> None:
    assert Store(tmp_path).path == Store(tmp_path / "memory.duckdb").path
    assert Store(str(tmp_path)).path == tmp_path / "memory.duckdb"
    with pytest.raises(InputError, match=re.escape("memory.duckdb")):
        Store(tmp_path / "other.duckdb")


def test_the_store_of_a_user_is_where_the_system_keeps_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EBBING_HOME", str(tmp_path))
    assert default_store_path() == tmp_path
    assert Store().folder == tmp_path
    monkeypatch.delenv("EBBING_HOME")
    assert default_store_path().name == "ebbing"


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(InputError, match="name a folder") as refused:
            Store(folder).create()
        assert says_in_one_line(refused.value)
    assert (tmp_path / "file").read_text() == "mine"


# Opening and closing


def test_times_are_utc_and_nothing_is_fetched(store: Store) -> None:
    with store.read() as connection:
        settings = connection.execute(
            "select current_setting('timezone'),"
            " current_setting('autoinstall_known_extensions'),"
            " current_setting('autoload_known_extensions')"
        ).fetchone()
    assert settings == ("UTC", False, False)


def test_readers_read_beside_each_other(store: Store) -> None:
    meet = threading.Barrier(3, timeout=10)

    def read() -> None:
        with store.read():
            meet.wait()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert not meet.broken


def test_a_reader_cannot_write(store: Store) -> None:
    with store.read() as connection, pytest.raises(duckdb.InvalidInputException):
        connection.execute("create table main.x (id integer)")
    with store.read(), pytest.raises(RuntimeError), store.write():
        pass


def test_the_same_thread_may_come_in_again(store: Store) -> None:
    with store.held():
        with store.write() as outer, store.read() as inner:
            assert inner is outer
        with store.held(exclusive=False), store.read():
            pass
        with store.read(), pytest.raises(RuntimeError), store.write():
            pass
        assert Store(store.folder).append([write()]) == Appended(inserted=1, spooled=0)
    assert count(store) == 1


def test_a_reader_that_appends_leaves_it_to_the_next_writer(store: Store) -> None:
    with store.read():
        assert store.append([write()]) == Appended(inserted=0, spooled=1)
    assert store.append([write()]).inserted == 1
    assert count(store) == 2


def test_everything_is_released_when_the_body_fails(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.held(), store.write():
        _ = 1 / 0
    with pytest.raises(duckdb.ConversionException), store.write() as connection:
        connection.execute("select cast('x' as integer)")
    assert store.append([write()], wait=False).inserted == 1
    # Nobody else's lock is left on the file either.
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("select 1")


def test_appending_nothing_does_nothing(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").append([]) == Appended(inserted=0, spooled=0)


def test_a_budget_that_runs_out_is_one_clear_error(store: Store) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store.held():
            inside.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(10)
    started = time.monotonic()
    with pytest.raises(StoreBusy, match=f"process {os.getpid()} ") as busy:
        count(Store(store.folder, budget=0.1))
    assert time.monotonic() - started < 1
    assert says_in_one_line(busy.value)
    with pytest.raises(StoreBusy), store.write(budget=0.05):
        pass
    leave.set()
    holder.join()
    assert count(store) == 0


# What cannot be used


def test_a_missing_store_is_said_to_be_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "none")
    for use in (lambda: count(store), lambda: store.append([write()])):
        with pytest.raises(StoreMissing, match="ebbing init") as missing:
            use()
        assert says_in_one_line(missing.value)
    with pytest.raises(StoreMissing), store.held():
        pass
    assert not store.folder.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"short", b"hello " * 10_000, os.urandom(20_000), b"SQLite format 3\x00" * 1000],
    ids=["empty", "short", "text", "noise", "sqlite"],
)
def test_a_file_that_is_no_duckdb_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path)
    store.path.write_bytes(content)
    for use in (lambda: count(store), lambda: store.append([write()]), store.create):
        with pytest.raises(StoreCorrupt, match="not touched") as corrupt:
            use()
        assert says_in_one_line(corrupt.value)
    assert store.path.read_bytes() == content
    assert store.spool.waiting() == []


@pytest.mark.parametrize("size", [5_000, 20_000, 300_000])
def test_a_file_that_was_cut_is_left_alone(store: Store, size: int) -> None:
    content = store.path.read_bytes()[:size]
    store.path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="not touched"):
        store.append([write()])
    assert store.path.read_bytes() == content


def test_a_file_of_a_newer_duckdb_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.path.write_bytes(NEWER_DUCKDB)
    for use in (lambda: count(store), lambda: store.append([write()]), store.create):
        with pytest.raises(StoreCorrupt, match="newer DuckDB") as newer:
            use()
        assert says_in_one_line(newer.value)
    assert store.path.read_bytes() == NEWER_DUCKDB


@pytest.mark.parametrize("version", ["99", "1.1", "next"])
def test_a_store_of_a_newer_format_is_left_alone(store: Store, version: str) -> None:
    store.append([StoreSetting(setting="format_version", setting_value=version)])
    content = store.path.read_bytes()
    for use in (lambda: count(store), lambda: store.append([write()]), store.create):
        with pytest.raises(StoreCorrupt, match="upgrade") as newer:
            use()
        assert says_in_one_line(newer.value)
    assert store.path.read_bytes() == content
    assert store.spool.waiting() == []


# Folders and disks that take no writes. Each runs in a child, since the superuser may write
# anywhere: the child becomes somebody else first.

CHILD = """
import os, sys
from ebbing.errors import EbbingError
from ebbing.journal.events import MemoryWrite
from ebbing.journal.migrations import create_statements
from ebbing.store.store import Store
folder, size = sys.argv[1], int(sys.argv[2])
create_statements()
events = [MemoryWrite(memory_id="m", namespace="default", kind="fact", content=os.urandom(
    size).hex(), content_hash="h", actor="test", method="remember")]
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
store = Store(folder, budget=1)
def read():
    with store.read() as connection:
        return connection.execute("select count(*) from journal.memory_writes").fetchone()[0]
for use in (read, lambda: store.append(events), lambda: store.append(events, wait=False), read):
    try:
        print(use())
    except EbbingError as error:
        print(type(error).__name__, error)
"""


def use_as_another_user(folder: Path, *, size: int = 1) -> list[str]:
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, str(folder), str(size)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert child.stderr == ""
    return child.stdout.splitlines()


def allow(folder: Path, *, files: int, folders: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(folders if path.is_dir() else files)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach, unlike those of tmp_path."""
    folder = Path(tempfile.mkdtemp(prefix="ebbing-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("has_lock", [True, False])
def test_a_read_only_folder_can_be_read_and_not_written(open_folder: Path, has_lock: bool) -> None:
    store = Store(open_folder)
    store.create()
    store.append([write()])
    if not has_lock:
        for lock in open_folder.glob("*.[lt]*"):
            lock.unlink()
    allow(open_folder, files=0o444, folders=0o555)
    before = contents(open_folder)
    first, second, third, last = use_as_another_user(open_folder)
    assert first == last == "1"
    assert second.startswith("StoreReadOnly")
    assert third.startswith("StoreReadOnly")
    assert contents(open_folder) == before


def test_a_store_that_was_killed_can_be_read_by_who_may_not_write(open_folder: Path) -> None:
    store = Store(open_folder)
    store.create()
    code = (
        "import os, sys; from ebbing.store.store import Store\n"
        "with Store(sys.argv[1]).write() as connection:\n"
        "    connection.execute(\"insert into journal.memory_writes by name select 'e' as event_id,"
        " 'm' as memory_id, 'd' as namespace, 'fact' as kind, 'c' as content, 'h' as content_hash,"
        " false as is_pinned, 'a' as actor, 'b' as method, now()::timestamp as occurred_at,"
        ' now()::timestamp as recorded_at")\n'
        "    os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(open_folder)], check=False)
    assert store.path.with_name("memory.duckdb.wal").stat().st_size > 0
    allow(open_folder, files=0o444, folders=0o555)
    first, second, _, last = use_as_another_user(open_folder)
    assert first == last == "1"
    assert second.startswith("StoreReadOnly")


def test_a_folder_that_cannot_be_entered_is_an_error(open_folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("its owner can always enter it")
    Store(open_folder).create()
    open_folder.chmod(0o700)
    lines = use_as_another_user(open_folder)
    assert len(lines) == 4
    assert all(line.startswith("StoreReadOnly") for line in lines)


def test_a_full_disk_leaves_the_store_as_it_was(open_folder: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,mode=777", "tmpfs", str(open_folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        store = Store(open_folder)
        store.create()
        store.append([write()])
        allow(open_folder, files=0o666, folders=0o777)
        first, second, third, last = use_as_another_user(open_folder, size=3_000_000)
        assert first == last == "1"
        assert second == third
        assert re.fullmatch(r"StoreReadOnly the disk of .* is full; .*", second)
        assert count(store) == 1
        assert store.append([write()]).inserted == 1
        assert list(store.spool.folder.glob("*")) == []
    finally:
        subprocess.run(["umount", str(open_folder)], check=True)


@pytest.mark.parametrize(
    "text",
    [
        'IO Error: Could not write file "x": No space left on device',
        "FATAL Error: Failed: database has been invalidated because of a previous fatal error."
        ' Original error: "Could not write file: No space left on device"',
        'IO Error: Cannot open file "x": Read-only file system',
    ],
)
def test_what_duckdb_says_of_a_disk_is_understood(
    store: Store, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise duckdb.IOException(text)

    monkeypatch.setattr(journal, "append", refuse)
    with pytest.raises(StoreReadOnly) as refused:
        store.append([write()])
    assert says_in_one_line(refused.value)


def test_every_error_of_the_store_is_one_of_its_own() -> None:
    for error in (StoreBusy, StoreCorrupt, StoreMissing, StoreReadOnly):
        assert issubclass(error, StoreError)
