"""What dbt is told before it opens a store: a folder that isn't there is no busy store.

The adapter takes every failure to open for a lock and tries again, node by node, for minutes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError


class Plugin(BasePlugin):
    """Looks for the folder; named in profiles.yml."""

    def update_connection_config(self, creds: DuckDBCredentials, config: dict[str, Any]) -> None:
        """Refuse to open a file in a folder that does not exist."""
        folder = Path(creds.path).absolute().parent
        if not folder.is_dir():
            raise DbtRuntimeError(
                f"there is no folder {folder}; nothing was built; make it, or let EBBING_HOME name "
                "another"
            )
