"""Events go into the journal once each, in order, whole or not at all."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from datetime import datetime

import duckdb
import numpy as np
import pytest

from ebbing import journal
from ebbing.errors import InputError
from ebbing.journal.events import (
    Embedding,
    Event,
    MemoryChange,
    MemoryWrite,
    Message,
    Recall,
    RecallHit,
)
from ebbing.journal.migrations import create_statements

NOON = datetime(2025, 7, 25, 12, 0, 0, 123456)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(create_statements())
        yield opened


def memory_write(content: str = "drinks tea", *, memory_id: str = "mem_1") -> MemoryWrite:
    return MemoryWrite(
        memory_id=memory_id,
        namespace="default",
        kind="fact",
        content=content,
        content_hash="hash",
        actor="test",
        method="remember",
        occurred_at=NOON,
    )


def message(message_id: str, *, session_id: str = "s1", seq: int = 1) -> Message:
    return Message(
        message_id=message_id,
        namespace="default",
        session_id=session_id,
        message_seq=seq,
        role="user",
        content="hello",
        source="test",
    )


def recall() -> Recall:
    return Recall(
        recall_id="rec_1",
        namespaces=("default", "a' or 1=1"),
        query_text="tea?",
        query_vector=(0.5, -0.25),
        top_k=5,
        min_similarity=0.0,
        actor="test",
    )


@pytest.mark.parametrize("event_type", journal.EVENT_TYPES)
def test_each_event_has_the_columns_of_its_table(
    connection: duckdb.DuckDBPyConnection, event_type: type[Event]
) -> None:
    columns = connection.execute(
        "select column_name from information_schema.columns"
        " where table_schema = 'journal' and table_name = ?",
        [event_type.table],
    ).fetchall()
    assert {name for (name,) in columns} == (
        {item.name for item in fields(event_type)} | {"event_sequence"}
    )


def test_every_table_has_an_event(connection: duckdb.DuckDBPyConnection) -> None:
    tables = connection.execute(
        "select table_name from information_schema.tables where table_schema = 'journal'"
    ).fetchall()
    assert {name for (name,) in tables} == {kind.table for kind in journal.EVENT_TYPES}


def test_an_event_comes_back_as_it_went_in(connection: duckdb.DuckDBPyConnection) -> None:
    content = 'quotes " and \' and \\ and \n and 今天 and 😀 and ";--'
    event = memory_write(content)
    assert journal.append(connection, [event]).total == 1
    row = connection.execute(
        "select event_id, content, importance, is_pinned, occurred_at, recorded_at"
        " from journal.memory_writes"
    ).fetchone()
    assert row == (event.event_id, content, None, False, NOON, event.recorded_at)


def test_lists_and_vectors_come_back_as_they_went_in(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    journal.append(connection, [recall()])
    row = connection.execute("select namespaces, kinds, query_vector from journal.recalls")
    assert row.fetchone() == (["default", "a' or 1=1"], None, [0.5, -0.25])


def test_a_numpy_vector_keeps_every_bit(connection: duckdb.DuckDBPyConnection) -> None:
    vector = np.random.default_rng(7).standard_normal(384).astype(np.float32)
    event = Embedding(content_hash="h", model_id="m", vector=vector)  # type: ignore[arg-type]
    journal.append(connection, [event])
    row = connection.execute("select vector from journal.embeddings").fetchone()
    assert row is not None
    assert np.array_equal(np.asarray(row[0], dtype=np.float32), vector)


def test_events_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        memory_write().content = "coffee"  # type: ignore[misc]


def test_the_same_event_is_inserted_once(connection: duckdb.DuckDBPyConnection) -> None:
    events = [memory_write(), memory_write()]
    assert journal.append(connection, events).total == 2
    assert journal.append(connection, [*events, memory_write()]).total == 1
    once = memory_write()
    assert journal.append(connection, [once, once]).total == 1


def test_messages_are_known_by_their_id(connection: duckdb.DuckDBPyConnection) -> None:
    first = [message(f"msg_{number}", seq=number) for number in range(20)]
    assert journal.append(connection, first).of(Message) == 20
    again = [message(f"msg_{number}", seq=number) for number in range(30)]
    assert journal.append(connection, again).of(Message) == 10
    assert journal.append(connection, [message("msg_x"), message("msg_x")]).of(Message) == 1


def test_embeddings_are_known_by_text_and_model(connection: duckdb.DuckDBPyConnection) -> None:
    def embedding(model_id: str) -> Embedding:
        return Embedding(content_hash="h", model_id=model_id, vector=(1.0, 0.0))

    assert journal.append(connection, [embedding("a"), embedding("b"), embedding("a")]).total == 2
    assert journal.append(connection, [embedding("b"), embedding("c")]).total == 1


def test_the_order_of_events_holds_between_tables(connection: duckdb.DuckDBPyConnection) -> None:
    forget = MemoryChange(memory_id="mem_1", change="forget", actor="test")
    journal.append(connection, [memory_write(), forget, memory_write()])
    journal.append(connection, [memory_write()])
    writes = connection.execute(
        "select event_sequence from journal.memory_writes order by event_sequence"
    ).fetchall()
    change = connection.execute("select event_sequence from journal.memory_changes").fetchone()
    assert change is not None
    assert writes[0] < change < writes[1] < writes[2]


def test_counts_are_given_by_table(connection: duckdb.DuckDBPyConnection) -> None:
    hits = [RecallHit(recall_id="rec_1", memory_id="m", hit_rank=rank) for rank in (1, 2)]
    inserted = journal.append(connection, [recall(), *hits])
    assert inserted.by_table == (("recalls", 1), ("recall_hits", 2))
    assert inserted.of(Message) == 0


def test_a_batch_goes_in_whole_or_not_at_all(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("drop table journal.recall_hits")
    hit = RecallHit(recall_id="rec_1", memory_id="m", hit_rank=1)
    with pytest.raises(duckdb.CatalogException):
        journal.append(connection, [memory_write(), hit])
    assert connection.execute("select count(*) from journal.memory_writes").fetchone() == (0,)


@pytest.mark.parametrize(
    "unusable",
    [
        Embedding(content_hash="h", model_id="m", vector=(float("nan"),)),
        Embedding(content_hash="h", model_id="m", vector=("x",)),  # type: ignore[arg-type]
        RecallHit(recall_id="r", memory_id="m", hit_rank="first"),  # type: ignore[arg-type]
        RecallHit(recall_id="r", memory_id="m", hit_rank=1, score=float("inf")),
        RecallHit(recall_id=None, memory_id="m", hit_rank=1),  # type: ignore[arg-type]
    ],
)
def test_an_unusable_value_is_refused_by_name(
    connection: duckdb.DuckDBPyConnection, unusable: Event
) -> None:
    with pytest.raises(InputError, match=unusable.table):
        journal.append(connection, [memory_write(), unusable])
    assert connection.execute("select count(*) from journal.memory_writes").fetchone() == (0,)


def test_unclean_text_does_not_stop_a_batch(connection: duckdb.DuckDBPyConnection) -> None:
    journal.append(connection, [memory_write("lone \ud83d nul \x00"), memory_write("sound")])
    rows = connection.execute("select content from journal.memory_writes").fetchall()
    assert [text for (text,) in rows] == ["lone � nul ", "sound"]


@pytest.mark.parametrize(
    "event",
    [
        memory_write("今天 \u2028 \n line"),
        recall(),
        Embedding(content_hash="h", model_id="m", vector=(0.1, 0.2)),
        message("msg_1"),
    ],
)
def test_an_event_survives_json(event: Event) -> None:
    line = journal.to_json(event)
    assert "\n" not in line
    assert journal.from_json(line) == event


@pytest.mark.parametrize(
    "line",
    ["", "{}", "[]", "null", '{"table": "messages", "event": {}}', '{"table": "x", "event": {}}'],
)
def test_what_is_no_event_is_a_value_error(line: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        journal.from_json(line)
