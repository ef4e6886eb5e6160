"""The LangGraph store: the same tests over the library's own store in memory and over ours."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph.store.base")

from hashing_embedder import HashingEmbedder
from hypothesis import example, given
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from ebbing import Memory
from ebbing.errors import InputError
from ebbing.langgraph.items import decode_namespace, encode_namespace
from ebbing.langgraph.store import EbbingStore
from ebbing.safety.text import clean_namespace

NS = ("users", "ada")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make one store; each test works on a copy, as dbt takes long to build one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EBBING_TESTING", "1")
        folder = tmp_path_factory.mktemp("made")
        Memory.create(folder, model="hashing:16")
        yield folder


@pytest.fixture
def memory(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("EBBING_TESTING", "1")
    shutil.copy(made / "memory.duckdb", tmp_path)
    return Memory(tmp_path)


@pytest.fixture
def ours(memory: Memory) -> EbbingStore:
    return EbbingStore(memory)


def in_memory(fields: list[str] | None = None) -> InMemoryStore:
    embedder = HashingEmbedder(16)

    def embed(texts: Any) -> list[list[float]]:
        return [[float(number) for number in embedder.embed_query(text)] for text in texts]

    return InMemoryStore(index={"dims": 16, "embed": embed, "fields": fields or ["$"]})


@pytest.fixture(params=["in memory", "ebbing"])
def store(request: pytest.FixtureRequest) -> BaseStore:
    if request.param == "in memory":
        return in_memory()
    made: BaseStore = request.getfixturevalue("ours")
    return made


def keys(found: list[SearchItem]) -> list[str]:
    return [item.key for item in found]


# What both do


def test_get_returns_what_was_put(store: BaseStore) -> None:
    value = {
        "text": "Ada likes tea",
        "count": 3,
        "ratio": 0.1,
        "is_new": True,
        "nothing": None,
        "tags": ["a", "b"],
        "nested": {"deep": [{"x": "ü 茶 🍵"}]},
    }
    store.put(NS, "k1", value)
    item = store.get(NS, "k1")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (NS, "k1", value)
    assert item.created_at.tzinfo is not None
    assert item.created_at <= item.updated_at
    assert store.get(NS, "k2") is None
    assert store.get(("users",), "k1") is None
    assert store.get((*NS, "more"), "k1") is None


def test_put_replaces_and_delete_removes(store: BaseStore) -> None:
    store.put(NS, "k", {"text": "Ada likes tea"})
    store.put(NS, "k", {"text": "Ada likes coffee"})
    item = store.get(NS, "k")
    assert item is not None
    assert item.value == {"text": "Ada likes coffee"}
    assert len(store.search(NS)) == 1
    store.delete(NS, "k")
    assert store.get(NS, "k") is None
    assert store.search(NS) == []
    store.delete(NS, "k")
    store.delete(NS, "never")
    store.put(NS, "k", {"text": "Ada likes tea"})
    again = store.get(NS, "k")
    assert again is not None
    assert again.value == {"text": "Ada likes tea"}


def test_a_value_comes_back_after_another_one(store: BaseStore) -> None:
    for text in ("tea", "coffee", "tea"):
        store.put(NS, "k", {"text": text})
    item = store.get(NS, "k")
    assert item is not None
    assert item.value == {"text": "tea"}
    assert keys(store.search(NS, query="tea")) == ["k"]


def test_the_same_value_under_two_keys_is_two_items(store: BaseStore) -> None:
    store.put(NS, "a", {"text": "Ada likes tea"})
    store.put(NS, "b", {"text": "Ada likes tea"})
    assert sorted(keys(store.search(NS))) == ["a", "b"]
    assert sorted(keys(store.search(NS, query="Ada likes tea"))) == ["a", "b"]
    store.delete(NS, "a")
    assert keys(store.search(NS)) == ["b"]
    assert keys(store.search(NS, query="Ada likes tea")) == ["b"]
    store.put(NS, "c", {"text": "Ada likes tea"})
    assert store.get(NS, "a") is None
    store.put(NS, "b", {"text": "Ada likes coffee"})
    assert sorted(keys(store.search(NS))) == ["b", "c"]
    item = store.get(NS, "c")
    assert item is not None
    assert item.value == {"text": "Ada likes tea"}


def test_values_that_read_alike_are_told_apart(store: BaseStore) -> None:
    store.put(NS, "k", {"text": "tea"})
    store.put(NS, "k", {"drink": "tea"})
    item = store.get(NS, "k")
    assert item is not None
    assert item.value == {"drink": "tea"}


def test_the_same_key_in_other_namespaces_is_another_item(store: BaseStore) -> None:
    store.put(("users", "ada"), "k", {"n": 1})
    store.put(("users", "bob"), "k", {"n": 2})
    store.put(("users",), "k", {"n": 3})
    store.put(("users", "ada", "notes"), "k", {"n": 4})
    store.put(("usersada",), "k", {"n": 5})
    item = store.get(("users", "bob"), "k")
    assert item is not None
    assert item.value == {"n": 2}
    assert sorted(item.value["n"] for item in store.search(("users",))) == [1, 2, 3, 4]
    assert sorted(item.value["n"] for item in store.search(("users", "ada"))) == [1, 4]
    assert len(store.search(())) == 5


def test_labels_with_separators_stay_apart(store: BaseStore) -> None:
    store.put(("a/b",), "k", {"n": 1})
    store.put(("a", "b"), "k", {"n": 2})
    store.put(("a%2Fb",), "k", {"n": 3})
    assert [item.value["n"] for item in store.search(("a/b",))] == [1]
    assert [item.value["n"] for item in store.search(("a",))] == [2]
    assert store.list_namespaces() == [("a", "b"), ("a%2Fb",), ("a/b",)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"color": "red"}, ["a", "c"]),
        ({"color": {"$eq": "red"}}, ["a", "c"]),
        ({"color": {"$ne": "red"}}, ["b", "d"]),
        ({"size": {"$gt": 2}}, ["c"]),
        ({"size": {"$gte": 2}}, ["b", "c"]),
        ({"size": {"$lt": 2}}, ["a"]),
        ({"size": {"$lte": 2}}, ["a", "b"]),
        ({"size": {"$gte": 1, "$lt": 3}}, ["a", "b"]),
        ({"color": "red", "size": {"$gt": 1}}, ["c"]),
        ({"of": {"maker": "x"}}, ["a"]),
        ({"of": {"maker": "x", "year": {"$gt": 1999}}}, ["a"]),
        ({"of": {"maker": "x", "year": {"$gt": 2000}}}, []),
        ({"tags": ["p", "q"]}, ["a"]),
        ({"tags": ["q", "p"]}, []),
        ({"color": None}, ["d"]),
        ({"missing": "x"}, []),
    ],
)
def test_filters(store: BaseStore, asked: dict[str, Any], found: list[str]) -> None:
    values: dict[str, dict[str, Any]] = {
        "a": {"color": "red", "size": 1, "of": {"maker": "x", "year": 2000}, "tags": ["p", "q"]},
        "b": {"color": "blue", "size": 2},
        "c": {"color": "red", "size": 3},
    }
    if "size" not in asked:
        # Without a number there the library's own store fails; see the test of ours below.
        values["d"] = {"name": "no color"}
    elif asked == {"color": {"$ne": "red"}}:
        values["d"] = {"size": 9}
    for key, value in values.items():
        store.put(NS, key, value)
    assert keys(store.search(NS, filter=asked)) == found


def test_an_unknown_operator_is_an_error(store: BaseStore) -> None:
    store.put(NS, "a", {"n": 1})
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search(NS, filter={"n": {"$like": "x"}})


def test_limit_and_offset(store: BaseStore) -> None:
    for number in range(12):
        store.put(NS, f"k{number:02}", {"n": number})
    everything = [f"k{number:02}" for number in range(12)]
    assert keys(store.search(NS)) == everything[:10]
    assert keys(store.search(NS, limit=20)) == everything
    assert keys(store.search(NS, limit=3, offset=2)) == everything[2:5]
    assert keys(store.search(NS, limit=5, offset=10)) == everything[10:]
    assert store.search(NS, limit=5, offset=12) == []
    assert keys(store.search(NS, filter={"n": {"$gte": 6}}, limit=2, offset=1)) == ["k07", "k08"]


def test_a_query_ranks_by_meaning(store: BaseStore) -> None:
    store.put(NS, "tea", {"text": "Ada likes green tea in the morning"})
    store.put(NS, "router", {"text": "The router is in the cellar"})
    store.put(NS, "bike", {"text": "Bob rides a bicycle to work"})
    found = store.search(NS, query="The router is in the cellar", limit=1)
    assert keys(found) == ["router"]
    assert found[0].score is not None
    assert store.search(("nobody",), query="router") == []
    one = store.search(NS, query="router cellar", filter={"text": "Bob rides a bicycle to work"})
    assert set(keys(one)) <= {"bike"}
    assert all(item.score is None for item in store.search(NS))


def test_what_is_not_indexed_comes_last_without_a_score(store: BaseStore) -> None:
    store.put(NS, "hidden", {"text": "The router is in the cellar"}, index=False)
    store.put(NS, "shown", {"text": "The router is in the attic"})
    found = store.search(NS, query="The router is in the attic")
    assert keys(found) == ["shown", "hidden"]
    assert found[0].score is not None
    assert found[1].score is None
    assert store.get(NS, "hidden") is not None


def test_only_the_given_fields_are_compared(store: BaseStore) -> None:
    store.put(NS, "a", {"title": "router", "body": "purple elephants"}, index=["title"])
    store.put(NS, "b", {"title": "elephant", "body": "router"}, index=["title"])
    assert keys(store.search(NS, query="router", limit=1)) == ["a"]
    store.put(NS, "none", {"title": "router"}, index=["no.such.path"])
    assert keys(store.search(NS, query="router"))[-1] == "none"


def test_list_namespaces(store: BaseStore) -> None:
    for namespace in (
        ("a", "b", "c"),
        ("a", "b", "d"),
        ("a", "x"),
        ("b", "b", "c"),
        ("users", "1", "notes"),
        ("users", "2", "notes"),
    ):
        store.put(namespace, "k", {"n": 1})
    assert len(store.list_namespaces()) == 6
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("b", "c")) == [("a", "b", "c"), ("b", "b", "c")]
    assert store.list_namespaces(prefix=("users", "*", "notes")) == [
        ("users", "1", "notes"),
        ("users", "2", "notes"),
    ]
    assert store.list_namespaces(prefix=("a",), suffix=("c",)) == [("a", "b", "c")]
    assert store.list_namespaces(max_depth=1) == [("a",), ("b",), ("users",)]
    assert store.list_namespaces(max_depth=2, prefix=("a",)) == [("a", "b"), ("a", "x")]
    assert store.list_namespaces(limit=2, offset=1) == [("a", "b", "d"), ("a", "x")]
    assert store.list_namespaces(prefix=("nobody",)) == []
    assert store.list_namespaces(prefix=("a", "b", "c", "d")) == []


def test_a_batch_reads_first_and_then_writes(store: BaseStore) -> None:
    store.put(NS, "old", {"text": "Ada likes tea"})
    results = store.batch(
        [
            PutOp(NS, "new", {"text": "first"}),
            GetOp(NS, "old"),
            GetOp(NS, "new"),
            SearchOp(NS),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("users",)),)),
            PutOp(NS, "new", {"text": "second"}),
            PutOp(NS, "old", None),
        ]
    )
    assert results[0] is results[5] is results[6] is None
    assert results[1] is not None
    assert results[2] is None
    assert keys(results[3]) == ["old"]  # type: ignore[arg-type]
    assert results[4] == [NS]
    assert store.get(NS, "old") is None
    item = store.get(NS, "new")
    assert item is not None
    assert item.value == {"text": "second"}
    assert store.batch([]) == []


def test_many_items_in_one_batch(store: BaseStore) -> None:
    store.batch([PutOp((*NS, str(n % 3)), f"k{n}", {"text": f"note {n}"}) for n in range(30)])
    assert len(store.search(NS, limit=100)) == 30
    assert len(store.search((*NS, "1"), limit=100)) == 10
    store.batch([PutOp((*NS, str(n % 3)), f"k{n}", None) for n in range(0, 30, 2)])
    assert len(store.search(NS, limit=100)) == 15


@pytest.mark.parametrize(
    "namespace", [(), ("",), ("a", ""), ("a.b",), ("langgraph", "x"), (1, "x")]
)
def test_bad_namespaces_are_refused(store: BaseStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_the_asynchronous_interface(store: BaseStore) -> None:
    async def use() -> None:
        await asyncio.gather(*(store.aput(NS, f"k{n}", {"text": f"note {n}"}) for n in range(4)))
        item = await store.aget(NS, "k2")
        assert item is not None
        assert item.value == {"text": "note 2"}
        assert len(await store.asearch(NS)) == 4
        found = await store.asearch(NS, query="note 2")
        assert "k2" in keys(found)
        await store.adelete(NS, "k2")
        assert await store.aget(NS, "k2") is None
        assert await store.alist_namespaces() == [NS]
        results = await store.abatch([GetOp(NS, "k1"), PutOp(NS, "k9", {"n": 9})])
        assert results[0] is not None

    asyncio.run(use())


# What ours does beyond


def history(memory: Memory, namespace: tuple[str, ...] = NS) -> Memory:
    return Memory(memory.store.folder, namespace=encode_namespace(namespace))


def journalled(memory: Memory, table: str, columns: str) -> list[tuple[Any, ...]]:
    with memory.store.read() as connection:
        return connection.execute(
            f"select {columns} from journal.{table} order by event_sequence"
        ).fetchall()


def test_an_update_supersedes_and_a_deletion_forgets(memory: Memory, ours: EbbingStore) -> None:
    ours.put(NS, "k", {"text": "Ada lives in Oslo"})
    ours.put(NS, "k", {"text": "Ada lives in Bergen"})
    ours.put(NS, "k", {"text": "Ada lives in Bergen"})
    ours.delete(NS, "k")
    changes = journalled(memory, "memory_changes", "change")
    assert changes == [("supersede",), ("forget",)]
    contents = journalled(memory, "memory_writes", "content")
    assert contents == [("Ada lives in Oslo",), ("Ada lives in Bergen",), ("Ada lives in Bergen",)]


def test_times_of_creation_and_update(memory: Memory) -> None:
    now = [datetime(2026, 1, 1, 12)]
    store = EbbingStore(Memory(memory.store.folder, clock=lambda: now[0]))
    store.put(NS, "k", {"n": 1})
    now[0] += timedelta(hours=1)
    store.put(NS, "k", {"n": 2})
    item = store.get(NS, "k")
    assert item is not None
    assert item.created_at == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert item.updated_at == datetime(2026, 1, 1, 13, tzinfo=UTC)
    store.delete(NS, "k")
    store.put(NS, "k", {"n": 3})
    item = store.get(NS, "k")
    assert item is not None
    assert item.created_at == datetime(2026, 1, 1, 13, tzinfo=UTC)


def test_a_clock_that_goes_back_brings_nothing_back(memory: Memory) -> None:
    now = [datetime(2026, 1, 1, 12)]
    store = EbbingStore(Memory(memory.store.folder, clock=lambda: now[0]))
    store.put(NS, "k", {"n": 1})
    now[0] -= timedelta(days=1)
    store.put(NS, "k", {"n": 2})
    item = store.get(NS, "k")
    assert item is not None
    assert item.value == {"n": 2}
    store.delete(NS, "k")
    assert store.get(NS, "k") is None


def test_items_expire_and_reading_puts_that_off(memory: Memory) -> None:
    now = [datetime(2026, 1, 1, 12)]
    store = EbbingStore(Memory(memory.store.folder, clock=lambda: now[0]))
    store.put(NS, "k", {"text": "short"}, ttl=10)
    now[0] += timedelta(minutes=9)
    assert store.get(NS, "k") is not None
    now[0] += timedelta(minutes=9)
    assert keys(store.search(NS)) == ["k"]
    now[0] += timedelta(minutes=9)
    item = store.get(NS, "k", refresh_ttl=False)
    assert item is not None
    assert item.updated_at == datetime(2026, 1, 1, 12, tzinfo=UTC)
    now[0] += timedelta(minutes=2)
    assert store.get(NS, "k") is None
    assert store.search(NS) == []
    assert store.list_namespaces() == []
    store.put(NS, "k", {"text": "long"})
    now[0] += timedelta(days=9)
    assert store.get(NS, "k") is not None


def test_a_default_ttl(memory: Memory) -> None:
    now = [datetime(2026, 1, 1, 12)]
    own = Memory(memory.store.folder, clock=lambda: now[0])
    store = EbbingStore(own, ttl={"default_ttl": 1, "refresh_on_read": False})
    store.put(NS, "k", {"n": 1})
    store.put(NS, "forever", {"n": 2}, ttl=None)
    now[0] += timedelta(seconds=50)
    assert store.get(NS, "k") is not None
    now[0] += timedelta(seconds=50)
    assert store.get(NS, "k") is None
    assert store.get(NS, "forever") is not None


def test_forgetting_and_restoring_the_memory_takes_the_item_along(
    memory: Memory, ours: EbbingStore
) -> None:
    ours.put(NS, "k", {"text": "Ada lives in Oslo"})
    ((memory_id,),) = journalled(memory, "memory_writes", "memory_id")
    history(memory).forget(memory_id)
    assert ours.get(NS, "k") is None
    assert ours.search(NS, query="Oslo") == []
    history(memory).restore(memory_id)
    assert ours.get(NS, "k") is not None


def test_items_are_in_another_scope_than_other_memories(memory: Memory, ours: EbbingStore) -> None:
    memory.remember("The router is in the cellar")
    ours.put(("default",), "k", {"text": "The router is in the attic"})
    assert keys(ours.search((), query="The router is in the cellar")) == ["k"]
    found = memory.recall("The router is in the attic", is_logged=False).memories
    assert [one.content for one in found] == ["The router is in the cellar"]


def test_a_search_strengthens_what_it_returned_alone(memory: Memory, ours: EbbingStore) -> None:
    ours.put(NS, "a", {"text": "The router is in the cellar", "floor": -1})
    ours.put(NS, "b", {"text": "The router is in the attic", "floor": 3})
    found = ours.search(NS, query="where is the router", filter={"floor": 3})
    assert keys(found) == ["b"]
    memory.flush()
    hits = journalled(memory, "recall_hits", "memory_id")
    ids = dict(journalled(memory, "memory_writes", "content, memory_id"))
    assert hits == [(ids["text: The router is in the attic\nfloor: 3"],)]


def test_secrets_are_taken_out(memory: Memory, ours: EbbingStore) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    ours.put(NS, "k", {"text": f"use {token}", "deep": [{"token": token}], "ok": "plain"})
    item = ours.get(NS, "k")
    assert item is not None
    assert item.value["ok"] == "plain"
    assert token not in json.dumps(item.value)
    assert token.encode() not in memory.store.path.read_bytes()
    with pytest.raises(InputError, match="nothing was stored"):
        ours.put(NS, token, {"n": 1})


def test_text_is_data(ours: EbbingStore) -> None:
    texts = ["{{ 1 / 0 }}", "'; drop schema journal; --", "%s {0} {x}", '"]}', "\\u0000 \\"]
    for number, text in enumerate(texts):
        ours.put((f"{text.replace('.', '')} {number}",), text, {"text": text, text: [text]})
    for number, text in enumerate(texts):
        item = ours.get((f"{text.replace('.', '')} {number}",), text)
        assert item is not None
        assert item.value == {"text": text, text: [text]}
    assert len(ours.search((), filter={"text": texts[1]})) == 1


@pytest.mark.parametrize(
    "value",
    [{"password": "hunter22"}, {"pin_password": 835017294}, {"a": [{"password": "hunter22"}]}],
)
def test_secrets_by_their_names_are_taken_out(
    memory: Memory, ours: EbbingStore, value: dict[str, Any]
) -> None:
    ours.put(NS, "k", value)
    item = ours.get(NS, "k")
    assert item is not None
    assert "[redacted:password]" in json.dumps(item.value)
    for secret in (b"hunter22", b"835017294"):
        assert secret not in memory.store.path.read_bytes()


@pytest.mark.parametrize("value", [{"n": float("nan")}, {"when": datetime(2026, 1, 1)}])
def test_a_value_that_is_no_json_is_refused(ours: EbbingStore, value: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is not JSON"):
        ours.put(NS, "k", value)
    assert ours.search(()) == []


@pytest.mark.parametrize("key", ["", "k" * 501, "a\x00b"])
def test_a_key_that_would_not_come_back_is_refused(ours: EbbingStore, key: str) -> None:
    with pytest.raises(InputError, match="nothing was stored"):
        ours.put(NS, key, {"n": 1})


def test_values_without_text_and_of_great_length(ours: EbbingStore) -> None:
    ours.put(NS, "empty", {})
    ours.put(NS, "blank", {"text": "  "})
    ours.put(NS, "long", {"text": "word " * 50_000})
    for key, value in (("empty", {}), ("blank", {"text": "  "}), ("long", None)):
        item = ours.get(NS, key)
        assert item is not None
        assert value is None or item.value == value
    long = ours.get(NS, "long")
    assert long is not None
    assert len(long.value["text"]) == 250_000


def test_what_is_no_number_is_neither_above_nor_below_one(ours: EbbingStore) -> None:
    ours.put(NS, "a", {"size": 3})
    ours.put(NS, "b", {"size": "large"})
    ours.put(NS, "c", {})
    assert keys(ours.search(NS, filter={"size": {"$gt": 2}})) == ["a"]


def test_writers_at_once_lose_nothing(memory: Memory) -> None:
    def put(number: int) -> None:
        store = EbbingStore(Memory(memory.store.folder, budget=30.0))
        store.put(NS, f"k{number % 4}", {"text": "the same", "by": number})
        store.put(NS, f"own{number}", {"text": "the same"})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(put, range(8)))
    found = EbbingStore(memory).search(NS, limit=100)
    assert sorted(keys(found)) == sorted(
        [f"k{n}" for n in range(4)] + [f"own{n}" for n in range(8)]
    )


def test_state_and_history_hold_after_maintenance(memory: Memory, ours: EbbingStore) -> None:
    ours.put(NS, "home", {"text": "Ada lives in Oslo"})
    ours.put(NS, "home", {"text": "Ada lives in Bergen"})
    ours.put(NS, "gone", {"text": "Ada plays the violin"})
    ours.delete(NS, "gone")
    memory.maintain()
    assert keys(ours.search(NS)) == ["home"]
    assert keys(ours.search(NS, query="Where does Ada live, Bergen?")) == ["home"]
    assert ours.search(NS, query="Ada plays the violin", filter={"text": "x"}) == []
    ids = dict(journalled(memory, "memory_writes", "content, memory_id"))
    versions = history(memory).history(ids["Ada lives in Bergen"])
    assert [(one.content, one.superseded_by) for one in versions] == [
        ("Ada lives in Oslo", ids["Ada lives in Bergen"]),
        ("Ada lives in Bergen", None),
    ]


LABELS = st.lists(st.text(min_size=1, max_size=6), max_size=4).map(tuple)


@given(LABELS, LABELS)
@example(("a/b",), ("a", "b"))
@example(("é",), ("é",))
@example(("%2F",), ("/",))
@example(("\ud800", "\x00"), ("\x1f",))
def test_names_of_namespaces_are_reversible(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert decode_namespace(encode_namespace(one)) == one
    assert clean_namespace(encode_namespace(one)) == encode_namespace(one)
    assert (encode_namespace(one) == encode_namespace(other)) == (one == other)
