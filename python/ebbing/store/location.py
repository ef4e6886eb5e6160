"""Where a store is when nothing says so; imports nothing that a hook would have to wait for."""

from __future__ import annotations

import os
from pathlib import Path

from ebbing.errors import InputError

FILE_NAME = "memory.duckdb"
# There while an erasure is under way, or was stopped halfway.
INTENT_NAME = "erasing.json"
# There while the store has remotes.
REMOTES_NAME = "remotes.json"
# There while the remotes hold texts as they were before an erasure.
REWRITTEN_NAME = "remotes.rewritten"


def expanded(path: Path | str) -> Path:
    """Return a path with `~` and `~user` replaced, or say why there can be none."""
    if not _is_writable_name(str(path)):
        raise InputError(
            f"{str(path)!r} has a character in it that DuckDB cannot write; nothing was made or "
            "read; name another place"
        )
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(
            f"{path} names a user whose home nobody knows; nothing was touched; give a whole path"
        ) from None


def fault_of_place(folder: Path) -> str | None:
    """Return why a store cannot lie in a folder of this name, or None."""
    name = str(folder)
    # dbt's adapter reads the path as an address, of which these end the path.
    if found := next((sign for sign in "#?" if sign in name), None):
        return f"has a {found} in it, after which dbt reads no further"
    return None if _is_writable_name(name) else "has a character in it that DuckDB cannot write"


def _is_writable_name(name: str) -> bool:
    return not any(ord(one) < 32 or 0xD800 <= ord(one) <= 0xDFFF for one in name)


def store_folder(path: Path | None) -> Path:
    """Return the folder of a store that is given by its folder or its file, or by nothing."""
    given = expanded(path or default_store_path()).absolute()
    return given.parent if given.name == FILE_NAME else given


def default_store_path() -> Path:
    """Return the folder of the user's own store: EBBING_HOME, or where the system keeps data."""
    home = os.environ.get("EBBING_HOME")
    if home:
        return expanded(home)
    # Imported here because it is needed only when nothing names the store.
    from platformdirs import user_data_path

    return user_data_path("ebbing", appauthor=False)
