"""A LangGraph store over a memory: `pip install 'ebbing[langgraph]'`.

from ebbing import Memory
from ebbing.langgraph.store import EbbingStore

store = EbbingStore(Memory.create("~/agent-memory"))
graph = builder.compile(store=store)
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)

from ebbing import journal
from ebbing.errors import StoreBusy
from ebbing.journal import ids
from ebbing.journal.writing import Origin, write_event
from ebbing.langgraph.items import (
    StoredItem,
    checked_key,
    encode_namespace,
    item_metadata,
    read_items,
    read_namespaces,
    safe_value,
    text_of,
)
from ebbing.memory import Memory
from ebbing.recall.answering import MAX_TOP_K, RecalledMemory
from ebbing.safety.text import clean


@dataclass(frozen=True, slots=True)
class _Put:
    """A put that has been checked: the value without secrets, the text that stands for it."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    text: str
    is_indexed: bool
    ttl_minutes: float | None


class EbbingStore(BaseStore):
    """Items as memories: found by meaning, with a history, in one file.

    Putting another value under a key supersedes the old memory; deleting forgets it. An item
    stays as it was put whatever the rules of forgetting say of its memory; those decide what a
    search with a query finds.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        kind: str = "fact",
        fields: Sequence[str] | None = None,
        is_pinned: bool = False,
        ttl: TTLConfig | None = None,
    ) -> None:
        """Serve a memory's store.

        `kind` is what items are remembered as. `fields` are the paths whose text stands for a
        value (default: all of it). `is_pinned` exempts items from the rules of forgetting.
        """
        self._memory = memory
        self._kind = kind
        self._fields = None if fields is None else tuple(fields)
        self._is_pinned = is_pinned
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; reads see the state before the puts of the same batch.

        The puts are one transaction; of several with the same key the last one counts.
        """
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(list(self._search(op)))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._list_namespaces(op))
            elif isinstance(op, PutOp):
                puts.pop((op.namespace, op.key), None)
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        self._apply(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in a thread; see `batch`."""
        return await asyncio.to_thread(self.batch, list(ops))

    # Reading

    def _get(self, op: GetOp) -> Item | None:
        with self._memory.store.read() as connection:
            items = read_items(connection, op.namespace, at=self._memory.now(), keys=[op.key])
        if not items:
            return None
        if op.refresh_ttl:
            self._refresh(items)
        item = items[0]
        return Item(
            namespace=item.namespace,
            key=item.key,
            value=item.value,
            created_at=item.created_at.replace(tzinfo=UTC),
            updated_at=item.updated_at.replace(tzinfo=UTC),
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        with self._memory.store.read() as connection:
            items = read_items(
                connection, op.namespace_prefix, at=self._memory.now(), is_prefix=True
            )
            if op.filter:
                items = [item for item in items if _matches(item.value, op.filter)]
        page = slice(op.offset, op.offset + op.limit)
        if op.query and clean(op.query):
            found = self._ranked(op, items)[page]
            if items:
                # Logged as used is what the search returned, not what it left out.
                hits = {hit.memory_id: hit for _, hit in found if hit is not None}
                self._memory.log_recall(op.query, hits.values(), namespaces=_scope(items))
        else:
            found = [(item, None) for item in items[page]]
        if op.refresh_ttl:
            self._refresh([item for item, _ in found])
        return [_search_item(item, hit) for item, hit in found]

    def _ranked(
        self, op: SearchOp, items: Sequence[StoredItem]
    ) -> list[tuple[StoredItem, RecalledMemory | None]]:
        """Order items by recall; those that are not indexed come last, without a score."""
        asked = [item for item in items if item.is_indexed]
        others = [(item, None) for item in items if not item.is_indexed]
        if not asked or op.query is None:
            return [*others]
        # Others in scope may take places: those that the filter leaves out.
        top_k = MAX_TOP_K if op.filter or others else max(1, op.offset + op.limit)
        answer = self._memory.recall(
            op.query,
            top_k=min(top_k, MAX_TOP_K),
            namespaces=_scope(asked),
            min_similarity=-1.0,
            is_logged=False,
        )
        by_memory: dict[str, list[StoredItem]] = {}
        for item in asked:
            by_memory.setdefault(item.canonical_id, []).append(item)
        return [
            *((item, hit) for hit in answer.memories for item in by_memory.get(hit.memory_id, ())),
            *others,
        ]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        with self._memory.store.read() as connection:
            namespaces = read_namespaces(connection, at=self._memory.now())
        conditions = op.match_conditions or ()
        kept = {
            namespace[: op.max_depth]
            for namespace in namespaces
            if all(_fits(condition, namespace) for condition in conditions)
        }
        return sorted(kept)[op.offset : op.offset + op.limit]

    # Writing

    def _apply(self, ops: Sequence[PutOp]) -> None:
        if not ops:
            return
        puts = {(op.namespace, op.key): self._checked(op) for op in ops}
        # Before the lock: a model takes longer than others should wait.
        vectors = self._memory.vectors_for(
            [
                self._write(put, content=put.text, created_at=None, at=self._memory.now())
                for put in puts.values()
                if put is not None
            ]
        )
        with self._memory.store.write() as connection:
            self._memory.store.fold_spool(connection)
            at = self._memory.now()
            live = {
                namespace: self._live(connection, namespace, puts, at)
                for namespace in dict.fromkeys(namespace for namespace, _ in puts)
            }
            events: list[journal.Event] = []
            for (namespace, key), put in puts.items():
                events += self._events(put, key, live[namespace], at)
            if events:
                self._memory.store.append([*events, *vectors])

    def _live(
        self,
        connection: duckdb.DuckDBPyConnection,
        namespace: tuple[str, ...],
        puts: Mapping[tuple[tuple[str, ...], str], _Put | None],
        at: datetime,
    ) -> dict[str, StoredItem]:
        """Return the items that puts replace, and those that have the same text."""
        here = {key: put for (place, key), put in puts.items() if place == namespace}
        scope = encode_namespace(namespace)
        items = read_items(
            connection,
            namespace,
            at=at,
            keys=list(here),
            memory_ids=[
                ids.memory_id(scope, content)
                for key, put in here.items()
                if put is not None
                for content in (put.text, _with_key(put.text, key))
            ],
        )
        return {item.key: item for item in items}

    def _events(
        self, put: _Put | None, key: str, live: dict[str, StoredItem], at: datetime
    ) -> list[journal.Event]:
        old = live.get(key)
        # A clock that went back does not bring an older state back.
        at = max(at, old.updated_at) if old else at
        if put is None:
            if old is None:
                return []
            del live[key]
            return [self._change("forget", old.memory_id, None, at)]
        content = put.text
        taken = {item.memory_id for other, item in live.items() if other != key}
        # The same text in the same namespace is one memory; two items need two.
        if ids.memory_id(encode_namespace(put.namespace), content) in taken:
            content = _with_key(content, key)
        write = self._write(put, content=content, created_at=old.created_at if old else None, at=at)
        live[key] = StoredItem(
            event_id=write.event_id,
            memory_id=write.memory_id,
            canonical_id=write.memory_id,
            namespace=put.namespace,
            content=write.content,
            key=key,
            value=put.value,
            created_at=old.created_at if old else at,
            updated_at=at,
            ttl_minutes=put.ttl_minutes,
            is_indexed=put.is_indexed,
        )
        if old is None or old.memory_id == write.memory_id:
            return [write]
        return [write, self._change("supersede", old.memory_id, write.memory_id, at)]

    def _checked(self, op: PutOp) -> _Put | None:
        key = checked_key(op.key)
        if op.value is None:
            return None
        value = safe_value(op.value)
        paths = self._fields if op.index is None else op.index
        texts: list[str] | None = None
        if paths and "$" not in paths:
            texts = [text for path in paths for text in get_text_at_path(value, path)]
        return _Put(
            namespace=op.namespace,
            key=key,
            value=value,
            text=text_of(value, texts or None, key=key),
            # Where the paths lead to nothing there is nothing to find it by.
            is_indexed=op.index is not False and texts != [],
            ttl_minutes=op.ttl,
        )

    def _write(
        self, put: _Put, *, content: str, created_at: datetime | None, at: datetime
    ) -> journal.MemoryWrite:
        metadata = item_metadata(
            key=put.key,
            value=put.value,
            created_at=created_at or at,
            updated_at=at,
            ttl_minutes=put.ttl_minutes,
            is_indexed=put.is_indexed,
        )
        return self._stated(put.namespace, content, metadata, put.ttl_minutes, at)

    def _stated(
        self,
        namespace: tuple[str, ...],
        content: str,
        metadata: dict[str, object],
        ttl_minutes: float | None,
        at: datetime,
    ) -> journal.MemoryWrite:
        event, _ = write_event(
            content,
            namespace=encode_namespace(namespace),
            kind=self._kind,
            actor=self._memory.actor,
            method="remembered",
            at=at,
            recorded_at=at,
            is_pinned=self._is_pinned,
            expires_at=None if ttl_minutes is None else at + timedelta(minutes=ttl_minutes),
            origin=Origin(metadata=metadata),
        )
        return event

    def _refresh(self, items: Sequence[StoredItem]) -> None:
        """Let items that expire last from now on, unless the store is busy or they are gone."""
        for item in items:
            if item.ttl_minutes is None:
                continue
            with (
                contextlib.suppress(StoreBusy),
                self._memory.store.write(budget=0.2) as connection,
            ):
                at = self._memory.now()
                now_live = read_items(connection, item.namespace, at=at, keys=[item.key])
                if [one.event_id for one in now_live] == [item.event_id]:
                    self._memory.store.append(
                        [
                            self._stated(
                                item.namespace,
                                item.content,
                                item.metadata(),
                                item.ttl_minutes,
                                max(at, item.updated_at),
                            )
                        ]
                    )

    def _change(
        self, change: str, memory_id: str, other_memory_id: str | None, at: datetime
    ) -> journal.MemoryChange:
        return journal.MemoryChange(
            memory_id=memory_id,
            change=change,
            other_memory_id=other_memory_id,
            reason="deleted" if change == "forget" else "put again with another value",
            actor=self._memory.actor,
            occurred_at=at,
            recorded_at=at,
        )


def _search_item(item: StoredItem, hit: RecalledMemory | None) -> SearchItem:
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at.replace(tzinfo=UTC),
        updated_at=item.updated_at.replace(tzinfo=UTC),
        score=None if hit is None else hit.score,
    )


def _with_key(content: str, key: str) -> str:
    return clean(f"{content} [{key}]")


def _scope(items: Iterable[StoredItem]) -> list[str]:
    return sorted({encode_namespace(item.namespace) for item in items})


def _fits(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        labels = namespace[: len(path)]
    elif condition.match_type == "suffix":
        labels = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    return all(asked in ("*", label) for asked, label in zip(path, labels, strict=True))


def _matches(value: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    return all(_equals(value.get(name), part) for name, part in asked.items())


def _equals(value: Any, asked: Any) -> bool:
    if isinstance(asked, Mapping):
        if any(name.startswith("$") for name in asked):
            return all(_compares(value, operator, part) for operator, part in asked.items())
        return isinstance(value, Mapping) and _matches(value, asked)
    if isinstance(asked, list | tuple):
        return (
            isinstance(value, list)
            and len(value) == len(asked)
            and all(_equals(*pair) for pair in zip(value, asked, strict=True))
        )
    return bool(value == asked)


def _compares(value: Any, operator: str, asked: Any) -> bool:
    if operator == "$eq":
        return bool(value == asked)
    if operator == "$ne":
        return bool(value != asked)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(asked)
    except (TypeError, ValueError):
        # What is no number is neither above nor below one.
        return False
    return {
        "$gt": one > other,
        "$gte": one >= other,
        "$lt": one < other,
        "$lte": one <= other,
    }[operator]
