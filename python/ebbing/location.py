"""Where a store is when nothing says so; imports nothing that a hook would have to wait for."""

from __future__ import annotations

import os
from pathlib import Path

FILE_NAME = "memory.duckdb"


def default_store_path() -> Path:
    """Return the folder of the user's own store: EBBING_HOME, or where the system keeps data."""
    home = os.environ.get("EBBING_HOME")
    if home:
        return Path(home).expanduser()
    # Imported here because it is needed only when nothing names the store.
    from platformdirs import user_data_path

    return user_data_path("ebbing", appauthor=False)
