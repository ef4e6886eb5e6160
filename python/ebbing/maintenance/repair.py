"""Repair: a store whose file cannot be read is made anew from the mirror of its journal.

Nothing is thrown away: what was broken is set aside in a folder of its own, named in the report.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb

from ebbing import journal
from ebbing.errors import StoreCorrupt, StoreMissing
from ebbing.journal import ids
from ebbing.journal.events import Event
from ebbing.rows import fetch
from ebbing.store.files import sync_file, sync_folder, workplace
from ebbing.store.store import FILE_NAME, Store

_BATCH = 1_000

_JOURNAL = """
    select table_name
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'journal'
    order by table_name
"""


class Damage(StrEnum):
    """What is wrong with the file of a store."""

    NONE = "none"
    MISSING = "the file is gone, and the mirror of its journal is there"
    LOG = "the file is whole; the log beside it is damaged"
    FILE = "the file is damaged"


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done: `brought_back` events came from the mirror, `set_aside` is what was broken."""

    damage: Damage
    brought_back: int = 0
    set_aside: str | None = None
    faults: tuple[str, ...] = ()


def damage(store: Store) -> Damage:
    """Find out whether every row of the journal can be read; changes nothing."""
    if not store.path.exists():
        return Damage.MISSING if store.mirror.exists() else Damage.NONE
    with store.held(exclusive=False):
        if _is_readable(store.path):
            return Damage.NONE
        if not _log(store).exists():
            return Damage.FILE
        # Without its log, in a copy that nobody else sees.
        with workplace(store.folder, "look") as place:
            shutil.copyfile(store.path, place / FILE_NAME)
            return Damage.LOG if _is_readable(place / FILE_NAME) else Damage.FILE


def repair(store: Store) -> Repaired:
    """Set aside what is damaged, and bring back every event that the mirror has.

    The caller builds the memory afterwards.
    """
    if not store.path.exists() and not store.mirror.exists():
        raise StoreMissing(
            f"there is no store at {store.folder}, nor the mirror of one; "
            "nothing was changed; make one: ebbing init"
        )
    with store.held(must_exist=False):
        found = damage(store)
        if found is Damage.NONE:
            return Repaired(Damage.NONE)
        if found is not Damage.LOG and not store.mirror.exists():
            raise StoreCorrupt(
                f"{store.path} is damaged, and there is no mirror of its journal; it was not "
                "touched; restore a copy of it"
            )
        aside = _set_aside(store, found)
        store.create()
        faults: list[str] = []
        brought_back = 0
        with store.write() as connection:
            for events in _batches(store.mirror.events(faults)):
                brought_back += journal.append(connection, events).total
    return Repaired(found, brought_back, str(aside) if aside else None, tuple(faults))


def _is_readable(path: Path) -> bool:
    """Tell whether a file opens and every block of its journal has the checksum that it should."""
    try:
        with contextlib.closing(duckdb.connect(str(path), read_only=True)) as connection:
            for (table,) in fetch(connection, _JOURNAL):
                fetch(connection, f"select max(hash(event)) from journal.{table} as event")
    except duckdb.Error as error:
        if "Conflicting lock" in str(error):
            raise
        return False
    return True


def _set_aside(store: Store, found: Damage) -> Path | None:
    """Move what is damaged away; of a whole file with a damaged log, a copy goes along."""
    files = [path for path in (store.path, _log(store)) if path.exists()]
    if not files:
        return None
    aside = store.folder / f"damaged-{ids.event_id()}"
    aside.mkdir(mode=0o700)
    for file in files:
        if found is Damage.LOG and file == store.path:
            shutil.copyfile(file, aside / file.name)
            os.chmod(aside / file.name, 0o600)
            sync_file(aside / file.name)
    sync_folder(aside)
    for file in files:
        if not (found is Damage.LOG and file == store.path):
            os.replace(file, aside / file.name)
    sync_folder(aside)
    sync_folder(store.folder)
    return aside


def _batches(events: Iterator[Event]) -> Iterator[list[Event]]:
    batch: list[Event] = []
    for event in events:
        batch.append(event)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _log(store: Store) -> Path:
    return store.path.with_name(FILE_NAME + ".wal")
