"""The namespace of a project: the same from its subfolders, clones and worktrees."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import unicodedata
from pathlib import Path

from ebbing.errors import InputError

AUTOMATIC = "auto"
"""What a user gives as a namespace to mean that of the folder."""

PERSONAL = "user"
"""The scope of what holds for the user in every project."""
CHOICE = ".ebbing.toml"
"""The file of a project in which its namespace can be chosen."""

_KEPT = "ebbing-namespace"
_MOST_CHARACTERS = 100
_MOST_SECONDS = 2.0


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

    In this order: the one that the project's `.ebbing.toml` names; that of the repository, which
    its clones and worktrees share: its first commit, or the address it was cloned from where not
    all of its history is there; else the root's name, in whatever script, and eight digits of a
    hash of its path, since many folders are called `app`.
    """
    root = project_root(folder)
    if (chosen := _chosen(root / CHOICE)) is not None:
        return chosen
    repository = _common_folder(root)
    if repository is None:
        return _of_path(root)
    # What a repository was called once it stays, also when its first commit comes later.
    kept = repository / _KEPT
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if name := kept.read_text("utf-8").strip():
            return name
    name = _of_history(root, repository) or _of_path(root)
    with contextlib.suppress(OSError):
        kept.write_text(f"{name}\n", "utf-8")
    return name


def resolve_namespace(namespace: str, folder: Path | str | None = None) -> str:
    """Return a namespace as given; for `auto`, that of the project folder."""
    return project_namespace(folder) if namespace == AUTOMATIC else namespace


def scopes(given: str, namespace: str) -> tuple[str, ...]:
    """Return what is recalled together: with a project found by itself, the user's own scope.

    Whoever names a namespace gets that one alone.
    """
    is_alone = given != AUTOMATIC or namespace == PERSONAL
    return (namespace,) if is_alone else (namespace, PERSONAL)


def _chosen(file: Path) -> str | None:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    import tomllib

    from ebbing.safety.text import clean_namespace

    try:
        name = tomllib.loads(text).get("namespace")
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is no TOML ({error}); nothing was done; mend it") from None
    return clean_namespace(name) if isinstance(name, str) else None


def _common_folder(root: Path) -> Path | None:
    """Return the folder of the repository itself, which its worktrees share."""
    marker = root / ".git"
    if marker.is_dir():
        return marker if (marker / "HEAD").exists() else None
    with contextlib.suppress(OSError, UnicodeDecodeError):
        _, _, named = marker.read_text("utf-8").partition("gitdir:")
        folder = root / named.strip()
        common = folder / "commondir"
        if named.strip() and (folder / "HEAD").exists():
            shared = folder / common.read_text("utf-8").strip() if common.exists() else folder
            return Path(os.path.realpath(shared))
    return None


def _of_history(root: Path, repository: Path) -> str | None:
    if (repository / "shallow").exists():
        remote = _git(root, "config", "--get", "remote.origin.url")
        known = re.sub(r"^\w+://|^[^@/]*@|\.git/?$", "", remote).replace(":", "/").lower()
        return f"git-{hashlib.sha256(known.encode()).hexdigest()[:12]}" if known else None
    first = _git(root, "rev-list", "--max-parents=0", "HEAD").split()
    return f"git-{first[-1][:12]}" if first else None


def _git(root: Path, *arguments: str) -> str:
    """Return what git says of a repository; nothing where it can't, or takes too long."""
    import subprocess

    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    with contextlib.suppress(OSError, subprocess.SubprocessError, UnicodeDecodeError):
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
        )
        return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def _of_path(root: Path) -> str:
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:8]
    name = os.fsencode(root.name).decode("utf-8", "replace")
    kept = "".join(
        character
        for character in unicodedata.normalize("NFC", name)
        if unicodedata.category(character) not in ("Cc", "Cs")
    )
    return f"{kept[:_MOST_CHARACTERS].strip() or 'project'}-{digest}"
