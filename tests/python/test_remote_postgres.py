"""Postgres as a remote: a real server, stopped, paused, replaced, and read by several stores."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory, journal
from ebbing.errors import RemoteAway, RemoteRefused
from ebbing.journal import ids
from ebbing.remote.asking import forget_remote, remote_of
from ebbing.remote.marks import read_mark
from ebbing.remote.protocol import SHARED, StaleMark
from ebbing.remote.settings import Link, links, write_links
from remote_harness import exchange, journal_rows, replicas
from servers.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def server(cluster: PostgresServer) -> PostgresServer:
    cluster.empty()
    return cluster


@pytest.fixture
def pair(
    built_store: Path, tmp_path: Path, server: PostgresServer, clock: Clock
) -> Iterator[list[Memory]]:
    found = replicas(built_store, tmp_path, server.address, 2, clock=clock)
    yield found
    for memory in found:
        memory.flush()
        for link in links(memory.store.folder):
            forget_remote(link)


def found(memory: Memory, query: str) -> list[str]:
    answer = memory.recall(query, is_logged=False, min_similarity=-1.0)
    return [one.content for one in answer.memories]


def test_two_stores_have_one_journal(pair: list[Memory], server: PostgresServer) -> None:
    one, other = pair
    kept = one.remember("The garden gate is green")
    assert kept.note is None
    assert found(other, "garden gate") == ["The garden gate is green"]
    task = other.start_task("open the gate")
    other.flush()
    other.end_task(task.task_id, is_completed=True, ratings={kept.memory_id: 3})
    other.correct(kept.memory_id, "The garden gate is red")
    exchange(pair)
    assert journal_rows(one) == journal_rows(other)
    again = [done for memory in pair for done in memory.sync()]
    assert [(done.received, done.sent) for done in again] == [(0, 0), (0, 0)]
    # A vector is there once, in four bytes a number.
    ((vectors, size),) = server.execute(
        "select count(*), max(octet_length(vector)) from ebbing.vectors"
    )
    assert (vectors, size) == (2, 64 * 4)


def test_an_open_transaction_elsewhere_loses_nothing_and_holds_nobody_up(
    pair: list[Memory], server: PostgresServer
) -> None:
    import psycopg

    one, other = pair
    one.remember("Written before")
    add = (
        "insert into ebbing.events (event_id, kind, namespaces, memory_hashes, body)"
        " select gen_random_uuid(), kind, namespaces, memory_hashes, body from ebbing.events"
        " where kind = 'memory_writes' limit 1 returning event_id"
    )
    with psycopg.connect(server.address) as slow:
        # It has taken its number, and others commit before it.
        slow.execute(add)
        one.remember("Written meanwhile")
        (done,) = other.sync()
        assert done.received == 4
        assert found(other, "Written meanwhile")[0] == "Written meanwhile"
        # What came is not delivered again while it stays open.
        (link,) = links(other.store.folder)
        with remote_of(link).deliver(read_mark(other.store, link.url)) as delivery:
            assert list(delivery.batches) == []
        slow.commit()
    with remote_of(link).deliver(read_mark(other.store, link.url)) as delivery:
        assert [len(events) for events in delivery.batches] == [1]


def test_a_server_that_stops_is_said_and_caught_up_with(
    pair: list[Memory], server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ebbing.remote.sending._PAUSE", 0.0)
    one, other = pair
    one.remember("Written before")
    server.stop()
    try:
        written = one.remember("Written while it was down")
        assert "not sent yet" in str(written.note)
        assert found(one, "while it was down")[0] == "Written while it was down"
        with pytest.raises(RemoteAway, match="waits in the store"):
            one.sync()
    finally:
        server.start()
    one.remember("Written after")
    assert len(found(other, "Written")) == 3


def test_a_server_that_says_nothing_costs_the_budget_and_no_more(
    pair: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ebbing.remote.sending._LONGEST_SEND", 0.2)
    monkeypatch.setattr("ebbing.memory._LONGEST_PULL", 0.2)
    one, _ = pair
    one.remember("Known here")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ebbing@127.0.0.1:{silent.getsockname()[1]}/postgres"
        mark = read_mark(one.store, links(one.store.folder)[0].url)
        assert mark is not None
        from ebbing.journal import RemoteCursor

        one.store.append(
            [
                RemoteCursor(
                    remote=url,
                    identity=mark.identity,
                    position=mark.position,
                    sent_through=mark.sent_through,
                )
            ],
            is_local=True,
        )
        link = Link(url, replica="x")
        write_links(one.store.folder, [link])
        # It would wait for ever: that it comes back at all is what is tested.
        assert found(one, "Known here") == ["Known here"]
        (one.store.folder / "remotes.away").unlink()
        written = one.remember("Written into silence")
        assert "has not answered" in str(written.note)
        # Whoever asks next does not wait at all.
        assert "a moment ago" in str(one.remember("And once more").note)
        forget_remote(link)


@pytest.mark.long
def test_another_cluster_at_the_same_address_is_read_as_a_whole_and_gets_all(
    pair: list[Memory], server: PostgresServer
) -> None:
    one, other = pair
    one.remember("Written to the old one")
    exchange(pair)
    server.empty()
    with pytest.raises(RemoteRefused, match="remote add"):
        one.sync()
    done = one.add_remote(server.address)
    assert (done.is_whole, done.sent) == (True, 2)
    other.remember("Written to the new one")
    exchange(pair)
    assert journal_rows(one) == journal_rows(other)


def test_what_was_set_back_by_its_administrator_is_read_as_a_whole(
    pair: list[Memory], server: PostgresServer
) -> None:
    one, other = pair
    one.remember("Written before the backup")
    one.remember("Written after the backup")
    exchange(pair)
    # As a restore leaves it: the last event is not there any more, the numbers go on.
    server.execute("delete from ebbing.events where xid = (select max(xid) from ebbing.events)")
    (done,) = other.sync()
    assert (done.is_whole, done.sent) == (True, 1)


_WRITER = """
import os, sys
from ebbing import Memory
memory = Memory(sys.argv[1])
for number in range(int(sys.argv[3])):
    said = memory.remember(f"{sys.argv[2]} says {number}", with_vector=False)
    assert said.note is None, said.note
    print(said.memory_id, flush=True)
"""


@pytest.mark.parametrize(
    ("rounds", "processes", "writes"),
    [(1, 4, 60), pytest.param(5, 8, 200, marks=pytest.mark.long)],
)
def test_writers_that_are_killed_lose_nothing_acknowledged_and_write_nothing_twice(
    pair: list[Memory], server: PostgresServer, rounds: int, processes: int, writes: int
) -> None:
    one, other = pair
    acknowledged: set[str] = set()
    for number in range(rounds):
        writers = [
            subprocess.Popen(
                [
                    sys.executable, "-c", _WRITER,
                    str(pair[place % 2].store.folder), f"writer {number}.{place}", str(writes),
                ],
                stdout=subprocess.PIPE,
                text=True,
            )
            for place in range(processes)
        ]  # fmt: skip
        heard: list[list[str]] = [[] for _ in writers]

        def listen(place: int, writer: subprocess.Popen[str], heard: list[list[str]]) -> None:
            assert writer.stdout is not None
            for line in writer.stdout:
                heard[place].append(line.strip())
                if place % 2 and len(heard[place]) == 20:
                    writer.send_signal(signal.SIGKILL)

        threads = [
            threading.Thread(target=listen, args=(place, writer, heard))
            for place, writer in enumerate(writers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for writer in writers:
            with writer:
                pass
        codes = [writer.returncode for writer in writers]
        assert not any(codes[::2])
        acknowledged |= {name for lines in heard for name in lines}
    assert len(acknowledged) >= rounds * processes // 2 * (writes + 20)
    exchange(pair)
    rows = journal_rows(one)
    assert rows == journal_rows(other)
    written = [row for row in rows["memory_writes"]]
    assert len(written) == len(set(written))
    assert all(any(name in row for row in written) for name in acknowledged)
    ((there,),) = server.execute("select count(*) from ebbing.events")
    assert there == len(written)


def test_what_a_newer_version_wrote_stays_there_and_is_counted(
    pair: list[Memory], server: PostgresServer
) -> None:
    one, other = pair
    one.remember("Known to all")
    server.execute(
        "insert into ebbing.events (event_id, kind, namespaces, memory_hashes, body)"
        """ values (gen_random_uuid(), 'moods', '{default}', '{}', '{"table": "moods"}')"""
    )
    (done,) = other.sync()
    assert (done.received, done.unreadable) == (2, 1)
    server.execute("update ebbing.about set schema_version = 99")
    with pytest.raises(RemoteRefused, match="pip install --upgrade"):
        other.sync()


def test_tombstones_take_their_events_and_keep_them_out(
    pair: list[Memory], server: PostgresServer
) -> None:
    one, other = pair
    gone = one.remember("The safe is behind the painting")
    one.remember("The bicycle is turquoise")
    one.recall("where is the safe?")
    one.flush()
    one.sync()
    with one.store.read() as connection:
        events = journal.events_after(connection, 0, of_types=SHARED)
    tombstone = journal.Erasure(
        erasure_id="e",
        namespace="default",
        content_hash=ids.content_hash(gone.content),
        memory_id_hash=ids.content_hash(gone.memory_id),
    )
    # As an erasure leaves it: what is rewritten is found by comparing.
    recall = next(event for event in events if isinstance(event, journal.Recall))
    with one.store.write() as connection:
        connection.execute("update journal.recalls set query_text = 'where is [erased]?'")
    one.store.append([tombstone], is_local=True)
    one.sync()
    left = repr(server.execute("select body from ebbing.events"))
    assert "painting" not in left
    assert gone.memory_id not in left
    assert "where is the safe" not in left
    assert "where is [erased]?" in left
    assert "turquoise" in left
    ((vectors,),) = server.execute("select count(*) from ebbing.vectors")
    assert vectors == 1
    # Whoever sends it again, and from however old a copy.
    (link,) = links(one.store.folder)
    remote = remote_of(link)
    about_it = [event for event in events if getattr(event, "memory_id", "") == gone.memory_id]
    about_it += [
        event for event in events if getattr(event, "content_hash", "") == tombstone.content_hash
    ]
    assert len(about_it) >= 3
    assert remote.send(about_it, [["default"]] * len(about_it)) == 0
    assert remote.search([gone.memory_id, gone.content, str(recall.query_text)]) == [
        (place, 0) for place, _ in remote.search([gone.content])
    ]
    # Who has not read the tombstone may not send what may hold it.
    mark = read_mark(other.store, link.url)
    assert mark is not None
    with pytest.raises(StaleMark):
        remote.send([replace(recall, event_id=ids.event_id())], [["default"]], mark)


_STEADY = """
import sys
from ebbing import Memory
memory = Memory(sys.argv[1], budget=60)
for number in range(int(sys.argv[3])):
    said = memory.remember(f"{sys.argv[2]} says {number}", with_vector=False)
    print(said.memory_id, flush=True)
    if number % 10 == 9:
        memory.recall("who says what", is_logged=False, with_vector=False)
"""


@pytest.mark.long
def test_a_server_that_stops_and_starts_under_writers_and_readers_loses_nothing(
    pair: list[Memory], server: PostgresServer
) -> None:
    writers = [
        subprocess.Popen(
            [
                sys.executable, "-c", _STEADY,
                str(pair[place % 2].store.folder), f"writer {place}", "40",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for place in range(4)
    ]  # fmt: skip
    # Each writes its first before the server goes, so that it goes under them.
    first = [writer.stdout.readline() for writer in writers if writer.stdout is not None]
    for _ in range(3):
        server.stop()
        server.start()
    acknowledged = {line.strip() for line in first}
    for writer in writers:
        # Not by `communicate`, which loses what the first reading took along.
        with writer:
            assert writer.stdout is not None
            acknowledged |= {line.strip() for line in writer.stdout}
        assert writer.returncode == 0
    assert len(acknowledged) == 4 * 40
    exchange(pair)
    rows = journal_rows(pair[0])
    assert rows == journal_rows(pair[1])
    assert len(rows["memory_writes"]) == 4 * 40
    assert all(any(name in row for row in rows["memory_writes"]) for name in acknowledged)
