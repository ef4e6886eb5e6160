"""What an erasure is about to do, written down before it does anything.

The record names ids and no text. While it is there, the store is closed to all but the one that
carries it out: a process that is killed leaves it, and the next maintenance finishes the work.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from ebbing.errors import StoreCorrupt
from ebbing.store.files import sync_folder, write_whole
from ebbing.store.location import INTENT_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An erasure that was asked for; `at` is naive UTC.

    One that was carried out elsewhere has a `before`: it takes these memories alone, and only what
    was written before that event.
    """

    erasure_id: str
    namespace: str
    memory_ids: Sequence[str]
    actor: str
    at: datetime
    before: str | None = None


def record(folder: Path, intent: Intent) -> None:
    """Write the intent down; when this returns, it survives a power cut."""
    values = {**asdict(intent), "at": intent.at.isoformat()}
    write_whole(folder / INTENT_NAME, json.dumps(values).encode("utf-8"))


def pending(folder: Path) -> Intent | None:
    """Return the intent of an erasure that is under way or was stopped."""
    path = folder / INTENT_NAME
    try:
        values = json.loads(path.read_text("utf-8"))
        return Intent(**{**values, "at": datetime.fromisoformat(values["at"])})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise StoreCorrupt(
            f"{path} cannot be read ({error}); nothing was changed; erase again what was to be "
            "erased once you have removed that file"
        ) from None


def clear(folder: Path) -> None:
    """Take the intent back, or tick it off."""
    (folder / INTENT_NAME).unlink(missing_ok=True)
    sync_folder(folder)
