"""What maintenance does about remotes: it goes on without one that is away, and says so."""

from __future__ import annotations

import logging

from ebbing.errors import EbbingError
from ebbing.maintenance.dbt import Progress
from ebbing.remote.sync import sync
from ebbing.store.store import Store

_logger = logging.getLogger("ebbing")


def sync_quietly(store: Store, *, progress: Progress | None = None) -> None:
    """Exchange with the remotes; what fails is said, and nothing waits for it."""
    try:
        sync(store)
    except EbbingError as error:
        _logger.warning("not exchanged with a remote: %s", error)
