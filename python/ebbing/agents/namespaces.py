"""The namespace of a project folder: the same from its subfolders, another for another folder."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from pathlib import Path

AUTOMATIC = "auto"
"""What a user gives as a namespace to mean that of the folder."""

_MOST_CHARACTERS = 100


def project_root(folder: Path | str | None = None) -> Path:
    """Return the root of the git repository that a folder is in, else the folder itself.

    Without a folder it is that of the running agent's project, else the one that this process
    works in.
    """
    # Claude Code tells its hooks and servers; its own working folder moves with each `cd`.
    start = Path(os.path.realpath(folder or os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd()))
    for candidate in (start, *start.parents):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return start


def project_namespace(folder: Path | str | None = None) -> str:
    """Return the namespace of the project that a folder is in.

    It is the root's name, in whatever script, and eight digits of a hash of its path, since many
    folders are called `app`.
    """
    root = project_root(folder)
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:8]
    name = os.fsencode(root.name).decode("utf-8", "replace")
    kept = "".join(
        character
        for character in unicodedata.normalize("NFC", name)
        if unicodedata.category(character) not in ("Cc", "Cs")
    )
    return f"{kept[:_MOST_CHARACTERS].strip() or 'project'}-{digest}"


def resolve_namespace(namespace: str, folder: Path | str | None = None) -> str:
    """Return a namespace as given; for `auto`, that of the project folder."""
    return project_namespace(folder) if namespace == AUTOMATIC else namespace
