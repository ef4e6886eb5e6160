"""The project as dbt parsed it: kept once for a user, not once for a store.

dbt's own saved parse is refused by a store at another path, and stands in a folder that may have
come with the store; what is kept here is found by what was parsed, in the user's own cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ebbing.maintenance.freshness import digest_of
from ebbing.project import project_dir

# Models, macros and seeds are those of a build; dbt parses its tests too.
_PARTS = ("models", "macros", "seeds", "tests/generic", "tests/invariants")
_FILE = "partial_parse.msgpack"
_KEPT = 8

_manifests: dict[str, Any] = {}


def manifest(
    project: Path, variables: Mapping[str, object], parse: Callable[[Path], object]
) -> Any:
    """Return dbt's manifest of a project, parsed by `parse` unless that was done before.

    `parse` is given the folder for dbt's target, where dbt saves what it parsed.
    """
    key = _key(project, variables)
    if key not in _manifests:
        _manifests[key] = _read(_folder() / key) or _parsed(
            parse, key if project == project_dir() else None
        )
    return _manifests[key]


def _parsed(parse: Callable[[Path], object], key: str | None) -> object:
    with tempfile.TemporaryDirectory(prefix="ebbing-parse-") as target:
        found = parse(Path(target))
        if key is not None:
            # Without a cache it is parsed again next time.
            with contextlib.suppress(OSError):
                _keep(Path(target) / _FILE, _folder() / key)
    return found


def _keep(saved: Path, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = place.with_name(f"{place.name}.{os.getpid()}")
    shutil.copyfile(saved, partial)
    os.replace(partial, place)
    others = sorted(place.parent.iterdir(), key=lambda file: file.stat().st_mtime_ns)
    for old in others[:-_KEPT]:
        old.unlink(missing_ok=True)


def _read(place: Path) -> object | None:
    try:
        saved = place.read_bytes()
    except OSError:
        return None
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    try:
        found = Manifest.from_msgpack(saved, decoder=extended_mashumuro_decoder)
        # What `graph` is in a macro; dbt saves the parse without it.
        found.build_flat_graph()  # type: ignore[no-untyped-call]
        return found
    except Exception:
        # Cut short, or another dbt's: it is parsed anew, and takes this one's place.
        return None


def _key(project: Path, variables: Mapping[str, object]) -> str:
    digest = hashlib.sha256(digest_of(project, _PARTS).encode("ascii"))
    for part in (str(project.resolve()), json.dumps(variables, sort_keys=True), sys.version):
        digest.update(b"\0" + part.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("ebbing", appauthor=False) / "parsed"
