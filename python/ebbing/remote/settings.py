"""Which remotes a store has: a small file beside it, with addresses and no secret."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from ebbing.errors import StoreCorrupt
from ebbing.store.files import write_whole
from ebbing.store.location import REMOTES_NAME


@dataclass(frozen=True, slots=True)
class Link:
    """A remote of a store: its address, and the name by which this replica writes there."""

    url: str
    replica: str


def links(folder: Path) -> tuple[Link, ...]:
    """Return the remotes of the store in a folder."""
    path = folder / REMOTES_NAME
    try:
        return tuple(Link(**one) for one in json.loads(path.read_text("utf-8"))["remotes"])
    except FileNotFoundError:
        return ()
    except (ValueError, TypeError, KeyError) as error:
        raise StoreCorrupt(
            f"{path} cannot be read ({error}); no remote was asked; remove it, and add the "
            "remotes again"
        ) from None


def write_links(folder: Path, wanted: Sequence[Link]) -> None:
    """Note the remotes of the store in a folder."""
    path = folder / REMOTES_NAME
    if wanted:
        values = {"remotes": [asdict(link) for link in wanted]}
        write_whole(path, json.dumps(values, indent=1).encode("utf-8"))
    else:
        path.unlink(missing_ok=True)


def new_replica() -> str:
    """Return a name for a replica that no other has."""
    return uuid4().hex
