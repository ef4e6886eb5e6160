"""Upkeep of a store: fold the spool, embed what waits, run dbt, change the embedding model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import duckdb

from ebbing import journal
from ebbing.embedding import Embedder
from ebbing.embedding.model import (
    RecordedModel,
    embed,
    model_event,
    recorded_model,
    recorded_model_or_none,
)
from ebbing.errors import ProviderError
from ebbing.maintenance.dbt import Built, Dbt, Progress
from ebbing.maintenance.freshness import build_now, last_build
from ebbing.store.aside import Aside, aside, maintenance
from ebbing.store.store import Store

T = TypeVar("T")

_BATCH = 64

_WAITING = """
    select content_hash, content from texts_to_embed($model_id::varchar) order by content_hash
"""

_UNREAD = "select count(*) from unread_messages"


@dataclass(frozen=True, slots=True)
class Maintained:
    """What a maintenance did; `waiting` texts still have no vector, and `note` says why."""

    folded: int = 0
    embedded: int = 0
    waiting: int = 0
    nodes: int = 0
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What a change of model did; `refused` texts have no vector under the new model."""

    model_id: str
    embedded: int
    refused: int


def create(
    store: Store,
    model: Callable[[RecordedModel | None], Embedder | None],
    *,
    at: datetime,
    progress: Progress | None = None,
) -> None:
    """Make a store, or complete one: `model` is asked which embedding model to record, if any.

    A new store is there when it is whole, and not before.
    """
    with maintenance(store):
        if store.exists():
            with store.write() as connection:
                recorded = recorded_model_or_none(connection)
                is_fresh = recorded is not None and _is_fresh(connection, store)
            chosen = model(recorded)
            if is_fresh:
                return
        else:
            chosen = model(None)
        dbt = Dbt(store.folder, progress=progress)
        with aside(store) as work:
            if chosen is not None:
                work.copy.append([model_event(chosen, at=at)])
            bring_up_to_date(work.copy, dbt.on(work.copy.folder), is_whole=True)


def build_in(store: Store, fill: Callable[[Store], T], *, progress: Progress | None = None) -> T:
    """Let `fill` append to a copy of the store, and build it; all of it counts, or nothing."""
    with maintenance(store), aside(store) as work:
        filled = fill(work.copy)
        dbt = Dbt(store.folder, progress=progress)
        bring_up_to_date(work.copy, dbt.on(work.copy.folder), is_whole=True)
    return filled


def maintain(
    store: Store,
    embedder: Callable[[], Embedder],
    *,
    at: datetime,
    progress: Progress | None = None,
) -> Maintained:
    """Bring the memory up to date with the journal, in a copy that then takes its place."""
    store.require()
    with maintenance(store):
        folded = _fold(store)
        with store.read() as connection:
            last = last_build(connection, store.path)
            now = build_now(connection)
        waited = 0
        if last is not None and replace(last, waiting=0) == now:
            # Nothing but texts may wait; without their vectors a build would change nothing.
            done = _embed_waiting([store], embedder, progress) if last.waiting else Maintained()
            if not done.embedded:
                store.drop_older_formats()
                return replace(done, folded=folded)
            waited = done.embedded
        dbt = Dbt(store.folder, progress=progress)
        with aside(store) as work:
            done = _maintain(work, dbt.on(work.copy.folder), embedder, at=at, progress=progress)
            work.copy.drop_older_formats()
        store.drop_older_formats()
    return replace(done, folded=folded, embedded=waited + done.embedded)


def _maintain(
    work: Aside,
    dbt: Dbt,
    embedder: Callable[[], Embedder],
    *,
    at: datetime,
    progress: Progress | None,
) -> Maintained:
    with work.copy.read() as connection:
        last, now = last_build(connection, work.copy.path), build_now(connection)
        is_current = last is not None and last.fingerprint == now.fingerprint
        unread = _count(connection.execute(_UNREAD).fetchone()) if is_current else 0
    built: Built | None = None
    # Other rules find other texts, whose vectors are to be made in this run.
    if not is_current:
        built = bring_up_to_date(work.copy, dbt, is_whole=True)
    elif unread:
        dbt.run("run", "--selector", "extraction")
    done = _embed_waiting([work.store, work.copy], embedder, progress)
    # What came while all that was read and embedded is built along with it.
    came = work.catch_up()
    if built is None or done.embedded or came:
        built = bring_up_to_date(work.copy, dbt)
    record = journal.Run(
        run_kind="maintain", outcome="done", detail=done.note, occurred_at=at, recorded_at=at
    )
    work.copy.append([record])
    return replace(done, waiting=len(_waiting(work.copy, None)), nodes=built.nodes)


def _embed_waiting(
    stores: Sequence[Store], embedder: Callable[[], Embedder], progress: Progress | None
) -> Maintained:
    """Embed what waits in the last of some stores; all of them keep the vectors."""
    texts = _waiting(stores[-1], None)
    if not texts:
        return Maintained()
    try:
        embedded = _embed_all(stores, embedder(), texts, progress)
    except ProviderError as error:
        return Maintained(waiting=len(texts), note=str(error))
    return Maintained(embedded=embedded, waiting=len(texts) - embedded)


def reembed(
    store: Store, embedder: Embedder, *, at: datetime, progress: Progress | None = None
) -> Reembedded:
    """Embed every text with another model, then change over; batches already done are kept.

    The old vectors answer until the new set is whole.
    """
    store.require()
    with maintenance(store):
        dbt = Dbt(store.folder, progress=progress)
        with aside(store) as work:
            texts = _waiting(work.copy, embedder.model_id)
            embedded = _embed_all([store, work.copy], embedder, texts, progress)
            # What was written meanwhile belongs to the new set too.
            work.catch_up()
            refused = {content_hash for content_hash, _ in texts}
            late = _waiting(work.copy, embedder.model_id)
            embedded += _embed_all(
                [store, work.copy],
                embedder,
                [text for text in late if text[0] not in refused],
                None,
            )
            with work.copy.read() as connection:
                is_active = recorded_model(connection).model_id == embedder.model_id
            if not is_active:
                work.copy.append([model_event(embedder, at=at)])
            bring_up_to_date(work.copy, dbt.on(work.copy.folder), is_whole=True)
            still_waiting = len(_waiting(work.copy, embedder.model_id))
    return Reembedded(model_id=embedder.model_id, embedded=embedded, refused=still_waiting)


def bring_up_to_date(store: Store, dbt: Dbt, *, is_whole: bool = False) -> Built:
    """Build the tables, and all the rest too where something but the journal has changed."""
    with store.read() as connection:
        recorded_model(connection)
        last = last_build(connection, store.path)
        now = build_now(connection)
    if not is_whole and last is not None and last.fingerprint == now.fingerprint:
        built = dbt.refresh()
    else:
        built = dbt.build()
    store.append([replace(now, waiting=len(_waiting(store, None))).event()])
    return built


def _is_fresh(connection: duckdb.DuckDBPyConnection, store: Store) -> bool:
    last = last_build(connection, store.path)
    return last is not None and replace(last, waiting=0) == build_now(connection)


def _fold(store: Store) -> int:
    if not store.spool.waiting():
        return 0
    with store.write() as connection:
        return store.fold_spool(connection)


def _waiting(store: Store, model_id: str | None) -> list[tuple[str, str]]:
    with store.read() as connection:
        if model_id is None:
            model_id = recorded_model(connection).model_id
        rows = connection.execute(_WAITING, {"model_id": model_id}).fetchall()
    return [(content_hash, content) for content_hash, content in rows]


def _embed_all(
    stores: Sequence[Store],
    embedder: Embedder,
    texts: Sequence[tuple[str, str]],
    progress: Progress | None,
) -> int:
    """Embed in batches, each kept by all stores before the next: a kill loses one at most."""
    embedded = 0
    for start in range(0, len(texts), _BATCH):
        vectors = embed(embedder, texts[start : start + _BATCH])
        embedded += [store.append(vectors.events) for store in stores][-1].inserted
        if progress is not None:
            progress(min(start + _BATCH, len(texts)), len(texts), "embedding")
    return embedded


def _count(row: tuple[int, ...] | None) -> int:
    return row[0] if row else 0
