"""Backup: a copy of the whole store in another place, taken beside running writers."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ebbing import journal
from ebbing.errors import InputError, StoreReadOnly
from ebbing.store.files import sync_file, sync_folder
from ebbing.store.store import FILE_NAME, Store


@dataclass(frozen=True, slots=True)
class BackedUp:
    """Where the copy is, and its size in bytes."""

    path: str
    size: int


def backup(store: Store, path: Path, *, at: datetime) -> BackedUp:
    """Copy a store to a new folder, which is a store itself; writers wait for a file copy's time.

    The journal keeps in mind where the copy goes, so that an erasure can look for it.
    """
    place = path.absolute()
    if os.path.lexists(place):
        raise InputError(f"{path} exists; nothing was backed up; name a place that does not")
    partial = place.with_name(place.name + ".partial")
    store.append(
        [
            journal.Run(
                run_kind="backup",
                outcome="begun",
                detail=str(place),
                occurred_at=at,
                recorded_at=at,
            )
        ]
    )
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700, parents=True)
        with store.held():
            with store.write() as connection:
                store.fold_spool(connection)
                connection.execute("checkpoint")
            # Shut against others by the lock, and settled: the file alone is the store.
            shutil.copyfile(store.path, partial / FILE_NAME)
        os.chmod(partial / FILE_NAME, 0o600)
        sync_file(partial / FILE_NAME)
        sync_folder(partial)
        os.rename(partial, place)
        sync_folder(place.parent)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise StoreReadOnly(
            f"{path} cannot be written ({error.strerror}); nothing was backed up; "
            "free some space, or name another place"
        ) from None
    return BackedUp(path=str(path), size=(place / FILE_NAME).stat().st_size)
