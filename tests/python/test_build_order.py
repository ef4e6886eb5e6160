"""A table that is rebuilt by what changed is built behind what says so."""

from __future__ import annotations

import re
from pathlib import Path

from ebbing.project import CHECKOUT

_REF = re.compile(r"ref\('([a-z_]+)'\)")
_CHANGED_BY = re.compile(r"'changed_by': '([a-z_]+)'")


def test_what_is_rebuilt_by_what_changed_waits_for_it() -> None:
    models = {file.stem: file.read_text("utf-8") for file in _models()}
    rebuilt = {name: found[1] for name, sql in models.items() if (found := _CHANGED_BY.search(sql))}
    assert len(rebuilt) > 10
    late = {name for name, change in rebuilt.items() if change not in _behind(name, models)}
    assert late == set()


def _models() -> list[Path]:
    return sorted((CHECKOUT / "models").rglob("*.sql"))


def _behind(name: str, models: dict[str, str]) -> set[str]:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for other in _REF.findall(models.get(waiting.pop(), "")):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
