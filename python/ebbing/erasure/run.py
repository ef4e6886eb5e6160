"""How an erasure is carried out, so that a process may be killed at any step of it.

The intent is recorded. The journal without what is erased is written into a new file beside the
store, since a database keeps deleted rows in its free blocks, and all that is derived is built in
that file. One rename puts it in the store's place: before it nothing is erased, after it all is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ebbing import journal
from ebbing.erasure import intent, passages, proof
from ebbing.erasure.incoming import still_here
from ebbing.erasure.intent import Intent
from ebbing.erasure.passages import Words
from ebbing.erasure.plan import Plan, Rewritten, make_plan
from ebbing.erasure.proof import Searched
from ebbing.erasure.rewriting import write_without
from ebbing.errors import InputError, StoreError
from ebbing.journal import ids
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.maintenance.envelope import partial_name
from ebbing.maintenance.maintain import bring_up_to_date
from ebbing.recall.lookup import require_memory
from ebbing.store.aside import maintenance
from ebbing.store.files import (
    remove_abandoned_workplaces,
    sync_file,
    sync_folder,
    touch,
    workplace,
)
from ebbing.store.location import REWRITTEN_NAME
from ebbing.store.store import FILE_NAME, Store

_EXPORTS = """
    select distinct detail from journal.runs
    where run_kind in ('export', 'backup')
    order by detail
"""

# What was written while the erasure ran is out as well: the mark moves to its end.
_MARKS = """
    select distinct namespace, content_hash, memory_id_hash
    from journal.erasures
    where erasure_id = $erasure_id
"""


@dataclass(frozen=True, slots=True)
class Erased:
    """The report of an erasure: what went, and every place that was searched afterwards.

    `rewritten` are the texts that are left without a passage. `kept_within` are other memories
    whose own text holds an erased one. `exports` are copies outside the store, written by `ebbing
    export` or `ebbing backup`, that still hold the text: they are the user's to delete. `waiting`
    are remotes that were away: they, and replicas behind them, are rid of it after the next sync.
    """

    memory_ids: tuple[str, ...]
    rewritten: tuple[Rewritten, ...]
    kept_within: tuple[str, ...]
    searched: tuple[Searched, ...]
    exports: tuple[Searched, ...]
    waiting: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether no copy is left in the store and its folder."""
        return not any(place.found for place in self.searched)


def preview(
    store: Store,
    memory_ids: Sequence[str],
    *,
    namespace: str,
    progress: Progress | None = None,
) -> Plan:
    """Say what an erasure would touch, and touch nothing."""
    _require(store, memory_ids, namespace)
    dbt = Dbt(store.folder, progress=progress)
    with maintenance(store), store.held():
        bring_up_to_date(store, dbt)
        return make_plan(store, dbt, list(memory_ids), namespace)


def erase(
    store: Store,
    memory_ids: Sequence[str],
    *,
    namespace: str,
    actor: str,
    at: datetime,
    progress: Progress | None = None,
) -> Erased:
    """Remove memories for good, with all texts merged into them, and prove it."""
    finish(store, progress=progress)
    _require(store, memory_ids, namespace)
    dbt = Dbt(store.folder, progress=progress)
    with maintenance(store), store.held(for_erasure=True):
        wanted = Intent(
            erasure_id=ids.event_id(),
            namespace=namespace,
            memory_ids=list(dict.fromkeys(memory_ids)),
            actor=actor,
            at=at,
        )
        done, needles = _begin(store, dbt, wanted)
    return _at_remotes(store, done, needles)


def erase_as_elsewhere(store: Store, *, at: datetime, progress: Progress | None = None) -> int:
    """Erase what was erased in another store; return how many memories are gone."""
    # Passages come after all else; what would be there a third time cannot be erased.
    return sum(_erase_found(store, at, progress) for _ in range(2))


def _erase_found(store: Store, at: datetime, progress: Progress | None) -> int:
    with store.read() as connection:
        found = still_here(connection)
    if not found:
        return 0
    dbt = Dbt(store.folder, progress=progress)
    for one in found:
        with maintenance(store), store.held(for_erasure=True):
            wanted = Intent(
                erasure_id=ids.event_id(),
                namespace=one.namespace,
                memory_ids=one.memory_ids,
                actor="remote",
                at=at,
                before=one.before,
            )
            _begin(store, dbt, wanted)
    return sum(len(one.memory_ids) for one in found)


def finish(store: Store, *, progress: Progress | None = None) -> Erased | None:
    """Finish an erasure that was stopped halfway, if there is one.

    Copies of the store that processes left which are no more are removed either way.
    """
    remove_abandoned_workplaces(store.folder)
    if intent.pending(store.folder) is None:
        return None
    dbt = Dbt(store.folder, progress=progress)
    with maintenance(store), store.held(for_erasure=True):
        # Another process may have done it while this one waited.
        wanted = intent.pending(store.folder)
        if wanted is None:
            return None
        done, needles = _carry_out(store, dbt, wanted, _Progress())
    return _at_remotes(store, done, needles)


def _begin(store: Store, dbt: Dbt, wanted: Intent) -> tuple[Erased, proof.Needles]:
    intent.record(store.folder, wanted)
    progressed = _Progress()
    try:
        return _carry_out(store, dbt, wanted, progressed)
    except BaseException:
        # Nothing is erased, and the one who asked is told so. A kill comes by here no more.
        if not progressed.is_replaced:
            intent.clear(store.folder)
        raise


def _at_remotes(store: Store, done: Erased, needles: proof.Needles) -> Erased:
    """Carry the tombstones to the remotes, and search there too."""
    if not store.has_remotes():
        return done
    # Late, as it brings along what asks over a network.
    from ebbing.remote.erasing import at_remotes

    searched, waiting = at_remotes(store, needles.everywhere)
    return replace(done, searched=(*done.searched, *searched), waiting=waiting)


def _require(store: Store, memory_ids: Sequence[str], namespace: str) -> None:
    if not memory_ids:
        raise InputError("no memory is named; nothing was erased; name one by its id")
    with store.write() as connection:
        store.fold_spool(connection)
        for memory_id in memory_ids:
            require_memory(connection, memory_id, namespace)


@dataclass(slots=True)
class _Progress:
    is_replaced: bool = False


def _carry_out(
    store: Store, dbt: Dbt, wanted: Intent, progressed: _Progress
) -> tuple[Erased, proof.Needles]:
    # A message that is not read yet may say it too, and what it displaced may not be known.
    with store.write() as connection:
        store.fold_spool(connection)
        exports = [Path(row[0]) for row in connection.execute(_EXPORTS).fetchall()]
    bring_up_to_date(store, dbt)
    plan = make_plan(store, dbt, wanted.memory_ids, wanted.namespace, before=wanted.before)
    if store.has_remotes():
        touch(store.folder / REWRITTEN_NAME)
    needles = _rewrite(store, dbt, wanted, plan, progressed)
    _clean_folder(store, needles.everywhere)
    _fold_the_last(store, wanted, plan)
    intent.clear(store.folder)
    with store.read() as connection:
        searched = list(proof.search_relations(connection, needles))
    searched += proof.search_files([store.folder], needles.everywhere)
    copies = proof.search_files(
        [place for path in exports for place in (path, partial_name(path)) if place.exists()],
        plan.needles,
    )
    erased = Erased(
        memory_ids=plan.memory_ids,
        rewritten=plan.rewritten,
        kept_within=plan.kept_within,
        searched=tuple(searched),
        exports=tuple(place for place in copies if place.found),
    )
    return erased, needles


def _rewrite(
    store: Store, dbt: Dbt, wanted: Intent, plan: Plan, progressed: _Progress
) -> proof.Needles:
    """Make the store that holds nothing of it, and put it in the old one's place."""
    with workplace(store.folder, "erase") as folder:
        fresh = store
        if plan.texts:
            fresh = Store(folder)
            write_without(store.path, fresh.path, plan, wanted)
            # The store's own is written anew when all is done.
            fresh.mirror.begin()
            with fresh.held():
                bring_up_to_date(fresh, dbt.on(folder), is_whole=True)
        with fresh.read() as connection:
            needles = proof.needles(
                connection,
                namespace=plan.namespace,
                memory_ids=plan.memory_ids,
                texts=plan.wordings,
            )
        # While the texts are known: a process killed after the rename knows ids alone.
        _clean_folder(store, needles.everywhere)
        if fresh is not store:
            _replace(store, fresh.path)
        progressed.is_replaced = True
    return needles


def _replace(store: Store, fresh: Path) -> None:
    """Put the new file in the old one's place, in one step that survives a power cut."""
    with store.write() as connection:
        connection.execute("checkpoint")
    wal = store.path.with_name(FILE_NAME + ".wal")
    if wal.exists() or fresh.with_name(wal.name).exists():
        # A log of the old file would be applied to the new one.
        raise StoreError(
            f"{wal} is still in use; nothing was erased; close what else has the store open and "
            "erase again"
        )
    os.chmod(fresh, 0o600)
    sync_file(fresh)
    os.replace(fresh, store.path)
    sync_folder(store.folder)


def _clean_folder(store: Store, texts: Sequence[str]) -> None:
    """Remove what dbt compiled, older formats, spilled blocks, and leftovers with the text."""
    # What else is there is not ours: a store may lie in a folder that holds other things.
    shutil.rmtree(store.folder / "dbt" / "target", ignore_errors=True)
    for log in (store.folder / "dbt").glob("dbt.log*"):
        log.unlink()
    shutil.rmtree(store.path.with_name(FILE_NAME + ".tmp"), ignore_errors=True)
    store.drop_older_formats()
    # Set aside by a repair; of a file that cannot be read nobody can tell what is in it.
    for damaged in store.folder.glob("damaged-*"):
        if any(damaged.glob(f"{FILE_NAME}*")):
            shutil.rmtree(damaged, ignore_errors=True)
    for leftover in _leftovers(store.folder):
        if leftover.is_file() and proof.count_in_file(leftover, texts):
            leftover.unlink()


def _leftovers(folder: Path) -> Iterator[Path]:
    """Yield files beside the store that may hold what was said: they go whole."""
    yield from (folder / "spool").glob("*.rejected")
    yield from (folder / "spool").glob("*.reason")
    yield from (folder / "spool").glob("*.partial")
    yield from (folder / "hooks").glob("*.json")
    yield from folder.glob("*.partial")


def _fold_the_last(store: Store, wanted: Intent, plan: Plan) -> None:
    """Take in what came while the erasure ran, without what is erased."""
    words = [Words(text, is_erased=True) for text in plan.wordings]
    for path in store.spool.waiting():
        with contextlib.suppress(OSError, ValueError):
            batch = store.spool.read(path)
            cleaned = [_without(event, plan, words) for event in batch.events]
            if cleaned != batch.events:
                store.spool.write(cleaned, namespace=batch.namespace)
                store.spool.discard(path)
    with store.write() as connection:
        given = {"erasure_id": wanted.erasure_id}
        marks = connection.execute(_MARKS, given).fetchall()
        journal.append(
            connection,
            [
                journal.Erasure(
                    erasure_id=wanted.erasure_id,
                    namespace=namespace,
                    content_hash=content_hash,
                    memory_id_hash=memory_id_hash,
                    recorded_at=wanted.at,
                )
                for namespace, content_hash, memory_id_hash in marks
            ],
        )
        store.fold_spool(connection)
        # The mirror of the old file goes with it.
        store.mirror.rewrite(connection)


def _without(event: journal.Event, plan: Plan, words: Sequence[Words]) -> journal.Event:
    if isinstance(event, journal.Message) and event.namespace == plan.namespace:
        return replace(event, content=passages.mentions_blanked(event.content, words))
    if isinstance(event, journal.TaskStart) and event.namespace == plan.namespace:
        return replace(event, description=passages.mentions_blanked(event.description, words))
    if isinstance(event, journal.Recall) and plan.namespace in event.namespaces:
        asked = event.query_text and passages.mentions_blanked(event.query_text, words)
        if asked != event.query_text:
            return replace(event, query_text=asked, query_vector=None)
    return event
