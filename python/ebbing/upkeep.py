"""Upkeep of a store: fold the spool, embed what waits, run dbt, change the embedding model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ebbing import journal
from ebbing.embedding import Embedder
from ebbing.errors import ProviderError
from ebbing.maintenance import Built, Dbt, Progress
from ebbing.model import embed, model_event, recorded_model
from ebbing.store import Store

_BATCH = 64

_WAITING = """
    select content_hash, content
    from internal.int_memory_texts
    where content_hash not in (
        select content_hash from journal.embeddings where model_id = $model_id
    )
    order by content_hash
"""

_UNREAD = """
    select count(*)
    from journal.messages
    where role = 'user' and message_id not in (
        select message_id from internal.int_messages_extracted
    )
"""


_IS_BUILT = """
    select 1 from information_schema.tables
    where table_schema = 'internal' and table_name = 'int_messages_extracted'
"""


# In place of a build's fingerprint: what was built holds what the journal no longer does.
ANEW = "anew"

_LAST_BUILD = """
    select max_by(detail, event_sequence) from journal.runs where run_kind = 'build'
"""


@dataclass(frozen=True, slots=True)
class Maintained:
    """What a maintenance did; `waiting` texts still have no vector, and `note` says why."""

    folded: int
    embedded: int
    waiting: int
    nodes: int
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What a change of model did; `refused` texts have no vector under the new model."""

    model_id: str
    embedded: int
    refused: int


def build(store: Store, *, progress: Progress | None = None) -> None:
    """Load the seeds and build every model, without the tests."""
    dbt = Dbt(store.folder, progress=progress)
    with store.held():
        bring_up_to_date(store, dbt, is_whole=True)


def maintain(
    store: Store,
    embedder: Callable[[], Embedder],
    *,
    at: datetime,
    progress: Progress | None = None,
) -> Maintained:
    """Bring the memory up to date with the journal.

    The lock is free while dbt parses and while texts are embedded.
    """
    with store.write() as connection:
        folded = store.fold_spool(connection)
        is_built = bool(connection.execute(_IS_BUILT).fetchone())
        unread = _count(connection.execute(_UNREAD).fetchone()) if is_built else 0
    dbt = Dbt(store.folder, progress=progress)
    with store.held():
        if not is_built:
            bring_up_to_date(store, dbt, is_whole=True)
        elif unread:
            dbt.run("run", "--selector", "extraction")
    note: str | None = None
    embedded = 0
    waiting = _waiting(store, None)
    if waiting:
        try:
            embedded = _embed_all(store, embedder(), waiting, progress)
        except ProviderError as error:
            note = str(error)
    with store.held():
        built = bring_up_to_date(store, dbt)
        store.append(
            [
                journal.Run(
                    run_kind="maintain",
                    outcome="done",
                    detail=note,
                    occurred_at=at,
                    recorded_at=at,
                )
            ]
        )
    return Maintained(
        folded=folded,
        embedded=embedded,
        waiting=len(_waiting(store, None)),
        nodes=built.nodes,
        note=note,
    )


def reembed(
    store: Store, embedder: Embedder, *, at: datetime, progress: Progress | None = None
) -> Reembedded:
    """Embed every text with another model, then change over; batches already done are kept."""
    texts = _waiting(store, embedder.model_id)
    dbt = Dbt(store.folder, progress=progress)
    embedded = _embed_all(store, embedder, texts, progress)
    with store.held():
        # What was written meanwhile belongs to the new set too.
        late = _waiting(store, embedder.model_id)
        refused = {content_hash for content_hash, _ in texts}
        embedded += _embed_all(
            store, embedder, [text for text in late if text[0] not in refused], None
        )
        with store.read() as connection:
            is_active = recorded_model(connection).model_id == embedder.model_id
        if not is_active:
            store.append([model_event(embedder, at=at)])
        bring_up_to_date(store, dbt, is_whole=True)
    return Reembedded(
        model_id=embedder.model_id,
        embedded=embedded,
        refused=len(_waiting(store, embedder.model_id)),
    )


def bring_up_to_date(store: Store, dbt: Dbt, *, is_whole: bool = False) -> Built:
    """Build the tables, and all the rest too where something but the journal has changed."""
    with store.read() as connection:
        fingerprint = dbt.fingerprint(recorded_model(connection).model_id)
        row = connection.execute(_LAST_BUILD).fetchone()
    last = row[0] if row else None
    if not is_whole and last == fingerprint:
        return dbt.refresh()
    built = dbt.build(full_refresh=last == ANEW)
    store.append([journal.Run(run_kind="build", outcome="done", detail=fingerprint)])
    return built


def _waiting(store: Store, model_id: str | None) -> list[tuple[str, str]]:
    with store.read() as connection:
        if model_id is None:
            model_id = recorded_model(connection).model_id
        rows = connection.execute(_WAITING, {"model_id": model_id}).fetchall()
    return [(content_hash, content) for content_hash, content in rows]


def _embed_all(
    store: Store,
    embedder: Embedder,
    texts: Sequence[tuple[str, str]],
    progress: Progress | None,
) -> int:
    """Embed in batches, each appended before the next: a kill loses one batch at most."""
    embedded = 0
    for start in range(0, len(texts), _BATCH):
        vectors = embed(embedder, texts[start : start + _BATCH])
        embedded += store.append(vectors.events).inserted
        if progress is not None:
            progress(min(start + _BATCH, len(texts)), len(texts), "embedding")
    return embedded


def _count(row: tuple[int, ...] | None) -> int:
    return row[0] if row else 0
